/**
 * The editors: CodeMirror in the colours of the page. Each is in a shadow root, where CodeMirror adds its styles through the
 * CSSOM: in the document it would need inline styles, which the page's policy forbids.
 */
import { findChange } from './documents.js';
import {
  autocompletion,
  bracketMatching,
  Compartment,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  defaultKeymap,
  drawSelection,
  EditorState,
  EditorView,
  foldGutter,
  foldKeymap,
  graphql,
  HighlightStyle,
  history,
  historyKeymap,
  indentOnInput,
  json,
  jsonParseLinter,
  keymap,
  lineNumbers,
  linter,
  lintKeymap,
  Prec,
  placeholder,
  search,
  searchKeymap,
  syntaxHighlighting,
  tags,
} from './libraries.js';

const theme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, "SF Mono", Menlo, monospace', lineHeight: '1.5' },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { border: '0', backgroundColor: 'transparent', color: 'var(--quiet)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--accent-tint)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--raised)', outline: '1px solid var(--edge)' },
  '.cm-tooltip, .cm-panels': {
    border: '1px solid var(--edge)',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
  },
  '.cm-tooltip': { maxWidth: 'min(36rem, 92vw)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { maxHeight: '16rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.125rem 0.5rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-fill)',
  },
  '@media (forced-colors: active)': {
    '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
      backgroundColor: 'SelectedItem',
      color: 'SelectedItemText',
      forcedColorAdjust: 'none',
    },
  },
  // Not shown while the response is awaited.
  '.cm-placeholder': { display: 'var(--placeholder-display)', color: 'var(--quiet)' },
  '.cm-completionDetail': { marginLeft: '0.75rem', color: 'inherit', fontStyle: 'normal', opacity: '1' },
  '.cm-completionIcon': { display: 'none' },
  '.cm-tooltip.cm-completionInfo': { padding: '0.5rem', whiteSpace: 'pre-wrap' },
  // Beside a narrow editor it would cover the completions.
  '.cm-completionInfo-left-narrow, .cm-completionInfo-right-narrow': { display: 'none' },
  '.cm-foldPlaceholder': { border: '0', backgroundColor: 'var(--raised)', color: 'var(--quiet)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warning-tint)', outline: '1px solid var(--warning)' },
  '.cm-textfield, .cm-button': {
    border: '1px solid var(--edge)',
    backgroundColor: 'var(--surface)',
    backgroundImage: 'none',
    color: 'var(--text)',
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword, tags.modifier], color: 'var(--critical)' },
  { tag: [tags.propertyName, tags.attributeName], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.name)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.variableName], color: 'var(--warning)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--quiet)' },
]);

const common = [
  theme,
  EditorView.lineWrapping,
  syntaxHighlighting(colours),
  bracketMatching(),
  drawSelection(),
  search({ top: true }),
];
// What is reconfigured forgets what was done.
const undoing = new Compartment();
// Tab leaves an editor, as everything else of the page.
const editing = [
  undoing.of(history()),
  indentOnInput(),
  closeBrackets(),
  keymap.of([...closeBracketsKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
];
/** @param {() => void} onRun */
function runKey(onRun) {
  const run = () => {
    onRun();
    return true;
  };
  return Prec.highest(keymap.of([{ key: 'Mod-Enter', run }]));
}
const keys = keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]);

/**
 * @typedef {{ onChange(text: string): void, onRun(): void }} Listener
 * @typedef {object} Editor
 * @property {EditorView} view
 * @property {() => string} read
 * @property {(text: string) => void} write replaces the text by that of another document, which undo does not go back behind; `onChange` is not called
 * @property {(text: string) => void} update does so where it differs: the cursor keeps its place
 * @property {(text: string) => void} edit replaces the text as the user would: undo takes it back
 * @property {(offset: number) => void} focusAt
 * @property {() => void} scrollToEnd
 */

/**
 * @param {HTMLElement} place
 * @param {string} label
 * @param {import('@codemirror/state').Extension[]} extensions
 * @param {Listener} [listener] none where the text cannot be edited
 * @returns {Editor}
 */
function createEditor(place, label, extensions, listener) {
  let isWriting = false;
  const reportChange = EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged && !isWriting) listener?.onChange(state.doc.toString());
  });
  const named = EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' });
  const own = listener ? [runKey(listener.onRun), ...extensions, ...editing] : extensions;
  const view = new EditorView({
    extensions: [...own, ...common, keys, named, reportChange],
    parent: place.attachShadow({ mode: 'open' }),
  });
  const read = () => view.state.doc.toString();
  /** @param {import('@codemirror/state').TransactionSpec} change */
  const dispatch = (change) => {
    isWriting = true;
    view.dispatch(change);
    isWriting = false;
  };
  return {
    view,
    read,
    write(text) {
      dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: 0 },
        effects: undoing.reconfigure([]),
      });
      dispatch({ effects: undoing.reconfigure(history()) });
    },
    update(text) {
      if (text === read()) return;
      dispatch({ changes: findChange(read(), view.state.toText(text).toString()) });
    },
    edit: (text) => view.dispatch({ changes: findChange(read(), text) }),
    focusAt(offset) {
      view.dispatch({ selection: { anchor: offset } });
      view.focus();
    },
    scrollToEnd: () => view.dispatch({ effects: EditorView.scrollIntoView(view.state.doc.length) }),
  };
}

/**
 * @param {HTMLElement} place
 * @param {Listener & { onShowType(type: string, field: string | null): void }} listener
 */
export function createQueryEditor(place, { onShowType, ...listener }) {
  /** @param {string | undefined} field @param {string | undefined} type @param {string | undefined} parent */
  const onShowInDocs = (field, type, parent) => {
    if (parent !== undefined) onShowType(parent, field ?? null);
    else if (type !== undefined) onShowType(type, null);
  };
  const extensions = [
    lineNumbers(),
    foldGutter(),
    autocompletion({ icons: false, compareCompletions }),
    graphql(undefined, { onShowInDocs }),
  ];
  return createEditor(place, 'Query', extensions, listener);
}

/**
 * Alphabetical, with `__typename`, `__schema` and `__type` at the end.
 *
 * @param {{ label: string }} one
 * @param {{ label: string }} other
 */
const compareCompletions = ({ label: one }, { label: other }) =>
  Number(one.startsWith('__')) - Number(other.startsWith('__')) || one.localeCompare(other);

/** @param {HTMLElement} place @param {Listener} listener */
export function createVariablesEditor(place, listener) {
  const lintJson = jsonParseLinter();
  const isEmpty = (/** @type {EditorView} */ view) => view.state.doc.toString().trim() === '';
  const lint = linter((view) => (isEmpty(view) ? [] : lintJson(view)));
  return createEditor(place, 'Variables', [json(), lint], listener);
}

/** @param {HTMLElement} place @param {Listener} listener */
export const createHeadersEditor = (place, listener) => createEditor(place, 'Headers', [], listener);

const runKeys = /Mac|iP/.test(navigator.platform) ? '⌘-Enter' : 'Ctrl-Enter';

/** @param {HTMLElement} place */
export const createAnswerView = (place) =>
  createEditor(place, 'Response', [
    json(),
    foldGutter(),
    placeholder(`Run the document to see its response here: the Run button, or ${runKeys}.`),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ 'aria-readonly': 'true' }),
  ]);
