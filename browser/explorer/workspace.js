/**
 * The documents of the explorer: the server's examples, as the user has changed them, and the user's own. They are kept in
 * this browser (localStorage). Headers, which may contain tokens, are kept in this tab alone (sessionStorage).
 */
import { browserStorage, tabStorage } from '../storage.js';
import { nameDocument } from './documents.js';

/**
 * @typedef {{ query: string, variables: string }} Content
 * @typedef {Content & { id: string, name: string, kind: 'example' | 'own' | 'linked', isChanged: boolean }} Entry
 * @typedef {Content & { id: string }} OwnEntry
 * @typedef {{ own: OwnEntry[], changed: Record<string, Content & { original: string }>, selected: string | null }} Kept
 */

const key = 'tributary.explorer';
const headersKey = 'tributary.explorer.headers';
const empty = '# Ctrl-Space suggests fields, Ctrl-Enter runs.\n{\n  \n}\n';

/**
 * @param {readonly { name: string, query: string, variables: object }[]} examples
 * @param {Content | null} linked of the address of the page; shown beside the others, and not kept
 */
export function createWorkspace(examples, linked) {
  const changes = new EventTarget();
  const originals = new Map(
    examples.map(({ name, query, variables }) => [name, { query, variables: formatVariables(variables) }]),
  );
  let kept = adoptOrphans(readKept(), originals);
  let linkedEntry = linked && { ...linked, id: createId() };
  let selected = linkedEntry?.id ?? kept.selected ?? '';

  function keep() {
    const isLinked = selected === linkedEntry?.id;
    browserStorage.set(key, JSON.stringify({ ...kept, selected: isLinked ? null : selected }));
    changes.dispatchEvent(new Event('change'));
  }

  // What another tab writes is shown here, so that this one does not write over it.
  addEventListener('storage', (event) => {
    if (event.key !== key) return;
    kept = adoptOrphans(readKept(), originals);
    changes.dispatchEvent(new Event('change'));
  });

  /** @returns {readonly Entry[]} */
  const list = () => [
    ...(linkedEntry
      ? [
          {
            name: 'Linked query',
            kind: /** @type {const} */ ('linked'),
            isChanged: false,
            ...linkedEntry,
          },
        ]
      : []),
    ...[...originals].map(([name, original]) => ({
      id: `example ${name}`,
      name,
      kind: /** @type {const} */ ('example'),
      isChanged: kept.changed[name] !== undefined,
      query: kept.changed[name]?.query ?? original.query,
      variables: kept.changed[name]?.variables ?? original.variables,
    })),
    ...kept.own.map((entry) => ({
      name: nameDocument(entry.query),
      kind: /** @type {const} */ ('own'),
      isChanged: false,
      ...entry,
    })),
  ];

  /** @returns {Entry} */
  function current() {
    const entries = list();
    const found = entries.find(({ id }) => id === selected) ?? entries[0];
    return found ?? addEntry({ id: createId(), query: empty, variables: '{}' });
  }

  /** @param {OwnEntry} entry @returns {Entry} */
  function addEntry(entry) {
    kept.own.push(entry);
    selected = entry.id;
    keep();
    return { ...entry, name: nameDocument(entry.query), kind: 'own', isChanged: false };
  }

  return {
    list,
    current,
    /** @param {() => void} listener called after each change of the list or of the selection */
    watch: (listener) => changes.addEventListener('change', listener),
    /** @param {string} id */
    select(id) {
      selected = id;
      keep();
    },
    add: () => addEntry({ id: createId(), query: empty, variables: '{}' }),
    /** Opens the document of a link, which is kept once it is changed. @param {Content} content */
    open(content) {
      linkedEntry = { ...content, id: createId() };
      selected = linkedEntry.id;
      keep();
    },
    /** Changes what is selected. @param {Content} content */
    write({ query, variables }) {
      const { id, name, kind } = current();
      const own = kept.own.find((entry) => entry.id === id);
      const original = originals.get(name);
      if (kind === 'linked') {
        linkedEntry = null;
        addEntry({ id, query, variables });
        return;
      }
      if (own) Object.assign(own, { query, variables });
      else if (original?.query === query && original.variables === variables) delete kept.changed[name];
      else kept.changed[name] = { query, variables, original: original?.query ?? '' };
      keep();
    },
    /** Removes an own document, or takes back the changes of an example. */
    discard() {
      const { id, name, kind } = current();
      if (kind === 'linked') linkedEntry = null;
      else if (kind === 'own') kept.own = kept.own.filter((entry) => entry.id !== id);
      else delete kept.changed[name];
      keep();
    },
  };
}

/** @typedef {ReturnType<typeof createWorkspace>} Workspace */

const createId = () => crypto.randomUUID?.() ?? `own ${Date.now()} ${Math.random()}`;

/** @param {object} variables */
const formatVariables = (variables) => JSON.stringify(variables, null, 2);

/** What is stored, as far as it has the form that it is stored in. @returns {Kept} */
function readKept() {
  const { own, changed, selected } = toRecord(parseJson(browserStorage.get(key) ?? '{}'));
  return {
    own: Array.isArray(own)
      ? own.filter((entry) => isContent(entry) && typeof toRecord(entry).id === 'string')
      : [],
    changed: Object.fromEntries(Object.entries(toRecord(changed)).filter(([, one]) => isContent(one))),
    selected: typeof selected === 'string' ? selected : null,
  };
}

/** @param {string} text @returns {unknown} null where it is not JSON */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {unknown} value @returns {Record<string, any>} */
const toRecord = (value) => (typeof value === 'object' && value !== null ? value : {});

/** @param {unknown} value */
function isContent(value) {
  const { query, variables } = toRecord(value);
  return typeof query === 'string' && typeof variables === 'string';
}

/**
 * A changed example that the server offers no more, or in another form, becomes a document of the user's own.
 *
 * @param {Kept} kept
 * @param {ReadonlyMap<string, Content>} originals
 * @returns {Kept}
 */
function adoptOrphans(kept, originals) {
  const isOrphan = (/** @type {string} */ name) =>
    originals.get(name)?.query !== kept.changed[name]?.original;
  const orphans = Object.keys(kept.changed).filter(isOrphan);
  return {
    ...kept,
    own: [
      ...kept.own,
      ...orphans.map((name) => ({
        query: '',
        variables: '{}',
        ...kept.changed[name],
        id: `changed ${name}`,
      })),
    ],
    changed: Object.fromEntries(Object.entries(kept.changed).filter(([name]) => !isOrphan(name))),
  };
}

/** Whether all that was written last is still there after this page is left. */
export const isStored = () => browserStorage.isKept() && tabStorage.isKept();

/** The headers of all documents, as text. */
export const headers = {
  read: () => tabStorage.get(headersKey) ?? '',
  /** @param {string} text */
  write(text) {
    tabStorage.set(headersKey, text.trim() === '' ? null : text);
  },
};

/**
 * The document in the fragment of an address, `#query=…&variables=…`. The fragment reaches no server, and nothing is sent
 * until the user runs the document.
 *
 * @param {string} hash
 * @returns {Content | null}
 */
export function readLink(hash) {
  const linked = new URLSearchParams(hash.slice(1));
  const query = linked.get('query');
  return query === null ? null : { query, variables: linked.get('variables') ?? '{}' };
}

/** The address that opens a document, without headers. @param {Content} content */
export const createLink = ({ query, variables }) =>
  `${location.origin}${location.pathname}#${new URLSearchParams({ query, variables })}`;
