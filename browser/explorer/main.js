/** The explorer: documents, their responses with the upstream calls, and the schema. */
import { byId, element, setText } from '../dom.js';
import { createSignIn, reloadOnOtherToken, showUser } from '../user.js';
import { readHeaders, readOperations } from './documents.js';
import { showDocuments } from './documents-list.js';
import {
  createAnswerView,
  createHeadersEditor,
  createQueryEditor,
  createVariablesEditor,
} from './editors.js';
import { send, token } from './graph.js';
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
byId('calls-panel', HTMLElement).tabIndex = 0;
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
const pane = createResponsePane(createAnswerView(place('response-panel')), {
  status: place('status'),
  calls: place('calls-panel'),
  callsTab: place('calls-tab'),
});
const runner = createRunner(pane, (running) => {
  setText(runButton, running === null ? 'Run' : running === 'request' ? 'Cancel' : 'Unsubscribe');
  runButton.classList.toggle('primary', running === null);
});

function keep() {
  // What a link opened is the user's own once it is changed: loading the page again is not to open the link again.
  if (workspace.current().kind === 'linked') history.replaceState(null, '', location.pathname);
  workspace.write({ query: queryEditor.read(), variables: variablesEditor.read() });
}

function run() {
  if (place('schema-panel').hidden === false) showResponsePanel('response-panel');
  // On a narrow screen it is below the request.
  place('response').scrollIntoView();
  const written = {
    query: queryEditor.read(),
    variables: variablesEditor.read(),
    headers: headersEditor.read(),
  };
  void runner.run(written, operationField.value || null);
}

let shown = '';
function show() {
  const { id, query, variables, kind, isChanged } = workspace.current();
  // What another tab has written into the shown document leaves the cursor where it is.
  const change = shown === id ? 'update' : 'write';
  queryEditor[change](query);
  variablesEditor[change](variables);
  discardButton.hidden = kind === 'example' && !isChanged;
  setText(discardButton, kind === 'example' ? 'Revert' : 'Delete');
  showOperations(query);
  showStored();
  if (shown !== '' && shown !== id) {
    runner.stop();
    pane.clear();
    pane.say('');
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
 */
function showOperations(query) {
  const operations = readOperations(query);
  if (operations === null && shown === workspace.current().id) return;
  const names = (operations ?? []).flatMap(({ name, kind }) => (name === null ? [] : [{ name, kind }]));
  const { value, selectedIndex, options } = operationField;
  const isRenamed = names.length === options.length && shown === workspace.current().id;
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
    schemaView.fail(error instanceof Error ? error.message : String(error), readSchema);
  }
}

async function showAccess() {
  const sent = token();
  if (sent === null) place('user').replaceChildren(await createSignIn(settings));
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
byId('copy-link', HTMLButtonElement).addEventListener('click', async () => {
  const link = createLink(workspace.current());
  try {
    await navigator.clipboard.writeText(link);
    pane.say('The link to this document is copied, without headers.');
  } catch {
    // Over HTTP from another machine there is no clipboard.
    pane.say(link);
  }
});
discardButton.addEventListener('click', () => workspace.discard());
// In WebKit an editor keeps the caret, and what is typed, while a button that was clicked has the focus.
addEventListener('click', ({ target }) => {
  const isOnButton = target instanceof Element && target.closest('button') !== null;
  if (isOnButton && !document.activeElement?.matches('.editor, input')) getSelection()?.removeAllRanges();
});
workspace.watch(show);
showDocuments(place('documents'), workspace);
pane.clear();
show();
// A link that is pasted into the address of this page loads nothing.
addEventListener('hashchange', () => {
  const linked = readLink(location.hash);
  if (linked) workspace.open(linked);
});
void showAccess();
void readSchema();
