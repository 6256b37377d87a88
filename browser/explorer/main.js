/** The explorer: documents, their responses with the upstream calls, and the schema. */
import { byId, element, setText } from '../dom.js';
import { createSignIn, reloadOnOtherToken, showUser } from '../user.js';
import { createCurl, readHeaders, readOperations, readRun, readVariables } from './documents.js';
import { showDocuments } from './documents-list.js';
import {
  createAnswerView,
  createHeadersEditor,
  createQueryEditor,
  createVariablesEditor,
} from './editors.js';
import { formatDocument } from './format.js';
import { send, token } from './graph.js';
import { createHistory } from './history.js';
import { updateSchema } from './libraries.js';
import { createResponsePane } from './response.js';
import { createRunner } from './runner.js';
import { loadSchema } from './schema.js';
import { createSchemaView } from './schema-view.js';
import { settings } from './settings.js';
import { createTabs } from './tabs.js';
import { createLink, createWorkspace, headers, isStored, readLink } from './workspace.js';

const place = (/** @type {string} */ id) => byId(id, HTMLElement);
const runButton = byId('run', HTMLButtonElement);
const discardButton = byId('discard', HTMLButtonElement);
const operationField = byId('operation', HTMLSelectElement);

const workspace = createWorkspace(settings.examples, readLink(location.hash));
const showRequestPanel = createTabs(place('request-tabs'));
const showResponsePanel = createTabs(place('response-tabs'));
place('calls-panel').tabIndex = 0;
const schemaView = createSchemaView(place('schema-panel'));

const queryEditor = createQueryEditor(place('query'), {
  onChange: keep,
  onRun: run,
  onShowType(type, field) {
    showResponsePanel('schema-panel');
    schemaView.showType(type, field);
  },
});
const variablesEditor = createVariablesEditor(place('variables-panel'), { onChange: keep, onRun: run });
const headersEditor = createHeadersEditor(place('headers-panel'), {
  onRun: run,
  onChange(text) {
    headers.write(text);
    showStored();
  },
});
const pane = createResponsePane(
  createAnswerView(place('response-panel')),
  { status: place('status'), calls: place('calls-panel'), callsTab: place('calls-tab') },
  offerSignIn,
);
const runs = createHistory(place('history-panel'), (run) => workspace.open(run, 'Earlier run'));
const runner = createRunner(pane, (running) => {
  place('response').ariaBusy = String(running !== null);
  setText(runButton, running === null ? 'Run' : running === 'request' ? 'Cancel' : 'Unsubscribe');
  runButton.classList.toggle('primary', running === null);
});

function keep() {
  // What a link opened is the user's own once it is changed: loading the page again is not to open the link again.
  if (workspace.current().kind === 'opened') history.replaceState(null, '', location.pathname);
  isWriting = true;
  workspace.write({ query: queryEditor.read(), variables: variablesEditor.read() });
  isWriting = false;
}

const readWritten = () => ({
  query: queryEditor.read(),
  variables: variablesEditor.read(),
  headers: headersEditor.read(),
});

async function run() {
  if (place('calls-panel').hidden) showResponsePanel('response-panel');
  // On a narrow screen it is below the request.
  place('response').scrollIntoView();
  place('offer').replaceChildren();
  const written = readWritten();
  const at = Date.now();
  const outcome = await runner.run(written, operationField.value || null);
  if (outcome) runs.add({ query: written.query, variables: written.variables, outcome, at });
}

function offerSignIn() {
  if (token() !== null || place('offer').childElementCount > 0) return;
  place('offer').replaceChildren(element('p', {}, 'Sign in to run this document.'), createSignIn(settings));
}

function prettify() {
  try {
    queryEditor.edit(formatDocument(queryEditor.read()));
    if (variablesEditor.read().trim() !== '')
      variablesEditor.edit(JSON.stringify(readVariables(variablesEditor.read()), null, 2));
    pane.say('');
  } catch (error) {
    pane.complain(formatError(error));
  }
}

function createCommand() {
  const { operation, request, headers: own } = readRun(readWritten(), operationField.value || null);
  const url = new URL(settings.graphPath, location.origin).href;
  return createCurl(url, request, Object.keys(own), operation?.kind === 'subscription');
}

/**
 * Copies a text, or shows it where there is no clipboard: over HTTP from another machine.
 *
 * @param {() => string} create throws in words for the user
 * @param {string} success
 */
async function copy(create, success) {
  try {
    const text = create();
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject();
    await copied.then(
      () => pane.say(success),
      () => pane.say(text),
    );
  } catch (error) {
    pane.complain(formatError(error));
  }
}

/** @param {unknown} error */
const formatError = (error) => (error instanceof Error ? error.message : String(error));

let shown = '';
/** Whether the user changes the shown document, which may become one of the user's own by that. */
let isWriting = false;

function show() {
  const { id, query, variables, kind } = workspace.current();
  const isOther = shown !== id && !isWriting;
  // What another tab has written into the shown document leaves the cursor where it is.
  const change = isOther ? 'write' : 'update';
  queryEditor[change](query);
  variablesEditor[change](variables);
  discardButton.hidden = kind === 'example';
  showOperations(query, isOther);
  showStored();
  if (shown !== '' && isOther) {
    runner.stop();
    pane.clear();
    pane.say('');
    place('offer').replaceChildren();
  }
  shown = id;
}

function showStored() {
  setText(
    place('unstored'),
    isStored()
      ? ''
      : 'What you write is lost with this page: the storage of this browser is full or blocked, and does not keep it.',
  );
}

/**
 * The field is there where a document has several operations. The choice stays while a document cannot be parsed, and where
 * the chosen operation is renamed: *Run* is not to run another one.
 *
 * @param {string} query
 * @param {boolean} isOther than the document that was shown before
 */
function showOperations(query, isOther) {
  const operations = readOperations(query);
  if (operations === null && !isOther) return;
  const names = (operations ?? []).flatMap(({ name, kind }) => (name === null ? [] : [{ name, kind }]));
  const { value, selectedIndex, options } = operationField;
  const isRenamed = names.length === options.length && !isOther;
  operationField.replaceChildren(
    ...names.map(({ name, kind }) => element('option', { value: name }, `${kind} ${name}`)),
  );
  if (names.some(({ name }) => name === value)) operationField.value = value;
  else if (isRenamed) operationField.selectedIndex = selectedIndex;
  operationField.hidden = names.length < 2;
}

async function readSchema() {
  try {
    const own = readHeaders(headersEditor.read());
    const schema = await loadSchema((request) => send(request, own, new AbortController().signal));
    updateSchema(queryEditor.view, schema);
    schemaView.show(schema);
  } catch (error) {
    schemaView.fail(formatError(error), readSchema);
  }
}

function showAccess() {
  const sent = token();
  if (sent === null) place('user').replaceChildren(createSignIn(settings));
  else showUser(place('user'), sent, settings);
  if (settings.token === null) reloadOnOtherToken(sent, token);
}

headersEditor.write(headers.read());
if (headers.read() !== '') showRequestPanel('headers-panel');
const consoleLink = byId('console-link', HTMLAnchorElement);
consoleLink.hidden = settings.consolePath === null;
consoleLink.href = settings.consolePath ?? '';
const journalLink = byId('journal-link', HTMLAnchorElement);
journalLink.hidden = settings.journalUrl === null;
journalLink.href = settings.journalUrl ?? '';
runButton.disabled = false;
runButton.addEventListener('click', () => (runner.isRunning() ? runner.stop() : run()));
byId('prettify', HTMLButtonElement).addEventListener('click', prettify);
byId('copy-link', HTMLButtonElement).addEventListener('click', () =>
  copy(() => createLink(workspace.current()), 'The link to this document is copied, without headers.'),
);
byId('copy-curl', HTMLButtonElement).addEventListener('click', () =>
  copy(
    createCommand,
    `The command is copied. Before you run it, set ${settings.token === null ? 'TOKEN' : `TOKEN=${settings.token}`}.`,
  ),
);
discardButton.addEventListener('click', () => workspace.discard());
// In WebKit an editor keeps the caret, and what is typed, while a button that was clicked has the focus.
addEventListener('click', ({ target }) => {
  const isOnButton = target instanceof Element && target.closest('button') !== null;
  if (isOnButton && !document.activeElement?.matches('.editor, input')) getSelection()?.removeAllRanges();
});
workspace.watch(show);
showDocuments(place('documents'), workspace, () => {
  workspace.add();
  queryEditor.focusAt(queryEditor.read().indexOf('{\n  ') + '{\n  '.length);
});
pane.clear();
show();
// A link that is pasted into the address of this page loads nothing.
addEventListener('hashchange', () => {
  const linked = readLink(location.hash);
  if (linked) workspace.open(linked, 'Linked query');
});
showAccess();
void readSchema();
