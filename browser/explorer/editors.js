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
  '.cm-completionDetail': { marginLeft: '0.75rem', color: 'inherit', fontStyle: 'normal', opacity: '1' },
  '.cm-completionIcon': { display: 'none' },
  '.cm-tooltip.cm-completionInfo': { padding: '0.5rem', whiteSpace: 'pre-wrap' },
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
const keys = keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]);

/**
 * @typedef {object} Editor
 * @property {EditorView} view
 * @property {() => string} read
 * @property {(text: string) => void} write replaces the text by that of another document, which undo does not go back behind; `onChange` is not called
 * @property {(text: string) => void} update does so where it differs: the cursor keeps its place
 * @property {(text: string, removed: number) => void} append adds to the end, and removes a length from the beginning
 */

/**
 * @param {HTMLElement} place
 * @param {string} label
 * @param {import('@codemirror/state').Extension[]} extensions
 * @param {(text: string) => void} [onChange]
 * @returns {Editor}
 */
function createEditor(place, label, extensions, onChange) {
  let isWriting = false;
  const reportChange = EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged && !isWriting) onChange?.(state.doc.toString());
  });
  const named = EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' });
  /** @param {string} doc */
  const createState = (doc) =>
    EditorState.create({ doc, extensions: [...extensions, ...common, keys, named, reportChange] });
  const view = new EditorView({
    state: createState(''),
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
    append(text, removed) {
      const end = view.state.doc.length;
      view.dispatch({
        changes: [
          { from: 0, to: removed },
          { from: end, insert: text },
        ],
      });
      view.scrollDOM.scrollTop = view.scrollDOM.scrollHeight;
    },
  };
}

/**
 * @param {HTMLElement} place
 * @param {{ onChange(text: string): void, onRun(): void, onShowType(type: string, field: string | null): void }} listener
 */
export function createQueryEditor(place, { onChange, onRun, onShowType }) {
  /** @param {string | undefined} field @param {string | undefined} type @param {string | undefined} parent */
  const onShowInDocs = (field, type, parent) => {
    if (parent !== undefined) onShowType(parent, field ?? null);
    else if (type !== undefined) onShowType(type, null);
  };
  return createEditor(
    place,
    'Query',
    [
      runKey(onRun),
      lineNumbers(),
      foldGutter(),
      EditorView.lineWrapping,
      ...editing,
      autocompletion({ icons: false }),
      graphql(undefined, { onShowInDocs }),
    ],
    onChange,
  );
}

/** @param {HTMLElement} place @param {{ onChange(text: string): void, onRun(): void }} listener */
export function createVariablesEditor(place, { onChange, onRun }) {
  const lintJson = jsonParseLinter();
  const isEmpty = (/** @type {EditorView} */ view) => view.state.doc.toString().trim() === '';
  return createEditor(
    place,
    'Variables',
    [runKey(onRun), ...editing, json(), linter((view) => (isEmpty(view) ? [] : lintJson(view)))],
    onChange,
  );
}

/** @param {HTMLElement} place @param {{ onChange(text: string): void, onRun(): void }} listener */
export function createHeadersEditor(place, { onChange, onRun }) {
  return createEditor(place, 'Headers', [runKey(onRun), ...editing], onChange);
}

/** @param {HTMLElement} place */
export function createAnswerView(place) {
  return createEditor(place, 'Response', [
    json(),
    foldGutter(),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ 'aria-readonly': 'true' }),
  ]);
}

/** @param {() => void} onRun */
const runKey = (onRun) =>
  Prec.highest(
    keymap.of([
      {
        key: 'Mod-Enter',
        run: () => {
          onRun();
          return true;
        },
      },
    ]),
  );
