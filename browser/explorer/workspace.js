/**
 * The documents of the explorer: the server's examples, and the user's own. Changing an example, a link or an earlier run
 * makes it one of the user's own. These are kept in this browser (localStorage). Headers, which may contain tokens, are kept
 * in this tab alone (sessionStorage).
 */
import { browserStorage, tabStorage } from '../storage.js';
import { nameDocument } from './documents.js';

/**
 * @typedef {{ query: string, variables: string }} Content
 * @typedef {Content & { id: string, name: string, kind: 'example' | 'own' | 'opened' }} Entry
 *   `opened` is what a link or an earlier run opened
 * @typedef {Content & { id: string }} OwnEntry
 * @typedef {{ own: readonly OwnEntry[], selected: string | null }} Kept
 */

const key = 'tributary.explorer';
const headersKey = 'tributary.explorer.headers';
const empty = '# Ctrl-Space suggests fields, Ctrl-Enter runs.\nquery NewQuery {\n  \n}\n';

/**
 * @param {readonly { name: string, query: string, variables: object }[]} examples
 * @param {Content | null} linked of the address of the page
 */
export function createWorkspace(examples, linked) {
  const changes = new EventTarget();
  /** @type {readonly Entry[]} */
  const offered = examples.map(({ name, query, variables }) => ({
    id: `example ${name}`,
    name,
    kind: 'example',
    query,
    variables: JSON.stringify(variables, null, 2),
  }));
  let { own, selected } = readKept();
  /** @type {Entry | null} */
  let opened = linked && { ...linked, id: createId(), name: 'Linked query', kind: 'opened' };
  if (opened) selected = opened.id;

  function keep() {
    browserStorage.set(key, JSON.stringify({ own, selected: selected === opened?.id ? null : selected }));
    changes.dispatchEvent(new Event('change'));
  }

  // What another tab writes is shown here, so that this one does not write over it.
  addEventListener('storage', (event) => {
    if (event.key !== key) return;
    own = readKept().own;
    changes.dispatchEvent(new Event('change'));
  });

  /** @returns {readonly Entry[]} */
  const list = () => [...(opened ? [opened] : []), ...offered, ...nameOwn(own)];

  /** @returns {Entry} */
  function current() {
    const entries = list();
    return entries.find(({ id }) => id === selected) ?? entries[0] ?? add({ query: empty, variables: '{}' });
  }

  /** @param {Content} content @returns {Entry} */
  function add({ query, variables }) {
    selected = createId();
    own = [...own, { id: selected, query, variables }];
    keep();
    return current();
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
    add: () => add({ query: empty, variables: '{}' }),
    /** Opens a document beside the others, or the one of them that is the same. @param {Content} content @param {string} name */
    open({ query, variables }, name) {
      const same = list().find((entry) => entry.query === query && entry.variables === variables);
      if (!same) opened = { id: createId(), name, kind: 'opened', query, variables };
      selected = same?.id ?? opened?.id ?? null;
      keep();
    },
    /** Changes what is selected. @param {Content} content */
    write({ query, variables }) {
      const { id, kind } = current();
      if (kind === 'opened') opened = null;
      if (kind !== 'own') return add({ query, variables });
      own = own.map((entry) => (entry.id === id ? { id, query, variables } : entry));
      keep();
    },
    /** Removes what is selected, unless it is an example. */
    discard() {
      const { id, kind } = current();
      if (kind === 'opened') opened = null;
      own = own.filter((entry) => entry.id !== id);
      keep();
    },
  };
}

/** @typedef {ReturnType<typeof createWorkspace>} Workspace */

const createId = () => crypto.randomUUID?.() ?? `own ${Date.now()} ${Math.random()}`;

/** Of several documents with the same name, the later ones have a number. @param {readonly OwnEntry[]} own @returns {Entry[]} */
function nameOwn(own) {
  const names = own.map(({ query }) => nameDocument(query));
  return own.map((entry, at) => {
    const name = names[at] ?? '';
    const earlier = names.slice(0, at).filter((each) => each === name).length;
    return { ...entry, name: earlier === 0 ? name : `${name} ${earlier + 1}`, kind: 'own' };
  });
}

/** What is stored, as far as it has the form that it is stored in. @returns {Kept} */
function readKept() {
  /** @type {any} */
  const stored = readJson(key);
  return {
    own: Array.isArray(stored?.own)
      ? stored.own.filter((/** @type {any} */ entry) => typeof entry?.id === 'string' && isContent(entry))
      : [],
    selected: typeof stored?.selected === 'string' ? stored.selected : null,
  };
}

/** What this browser stores; null where it is not JSON. @param {string} name @returns {unknown} */
export function readJson(name) {
  try {
    return JSON.parse(browserStorage.get(name) ?? 'null');
  } catch {
    return null;
  }
}

/** @param {any} value @returns {value is Content} */
export const isContent = (value) => typeof value?.query === 'string' && typeof value.variables === 'string';

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
