import { pino } from 'pino';
import {
  type Browser,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Page,
} from 'playwright-core';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { startTributary } from '../../../src/app/compose.ts';
import type { PagesOptions } from '../../../src/server/pages/pages.ts';
import { chromiumPath } from '../../support/chromium.ts';
import { readTestConfig } from '../../support/constants.ts';
import { filesPathOf } from '../../support/files-path.ts';
import { fixture } from '../../support/fixture.ts';
import { testWithSandbox } from '../../support/sandbox.ts';

const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const launchChromium = () => chromium.launch({ executablePath: chromiumPath, args: chromiumFlags });

/** Tests with a sandbox and a Chromium that starts with the file. */
export const testInBrowser = testWithSandbox().extend(
  'browser',
  { scope: 'file' },
  fixture(async ({ onCleanup }) => {
    const browser = await launchChromium();
    onCleanup(() => browser.close());
    return browser;
  }),
);

/** A layer over a sandbox, with an explorer, or what else is said. */
export function startExplorer(
  sandboxUrl: string,
  pages: Omit<PagesOptions, 'console'> & Partial<PagesOptions>,
  settings: Readonly<Record<string, string>> = {},
) {
  const given = {
    PORT: '0',
    ADMIN_PORT: 'off',
    BUSINESS_URL: sandboxUrl,
    MANAGEMENT_URL: sandboxUrl,
    BUSINESS_COMPANY_ID: sandboxCompanyId,
    OPERATION_POLL_MS: '20',
    // The browser has the machine's time to itself now and then.
    MAX_LOOP_DELAY_MS: '60000',
    ...settings,
  };
  return startTributary(
    readTestConfig(given, () => ''),
    { console: null, ...pages },
    pino({ level: 'silent' }),
    'dev',
  );
}

interface PageOptions {
  /** Who else may be asked. */
  readonly friends: readonly string[];
  /** What a sign-in left in the tab, where there was one. */
  readonly session?: object;
}

/**
 * A page of a layer as on a first visit, and all that goes wrong with it: requests to others than the layer and
 * `friends`, and what the browser complains of.
 */
export async function openPage(
  browser: Browser,
  address: string,
  { friends, session, ...options }: BrowserContextOptions & PageOptions,
) {
  const { origin, host } = new URL(address);
  const context = await browser.newContext(options);
  context.setDefaultTimeout(60_000);
  const foreign: string[] = [];
  const complaints: string[] = [];
  await context.route(
    (asked) => ![origin, ...friends].includes(asked.origin),
    (route) => {
      foreign.push(route.request().url());
      return route.abort();
    },
  );
  const page = await context.newPage();
  const authorizations = authorizationsOf(page);
  page.on('websocket', (socket) => {
    if (new URL(socket.url()).host !== host) foreign.push(socket.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && !isOfEditing(message)) complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  if (session) {
    // A small file of the same origin.
    await page.goto(new URL(`${await filesPathOf(address)}theme.css`, address).href);
    const kept = JSON.stringify(JSON.stringify(session));
    await page.evaluate(`sessionStorage.setItem('tributary.session', ${kept})`);
  }
  await page.goto(address);
  return { context, page, foreign, complaints, authorizations };
}

/**
 * Where several lines of an editor are replaced, Chromium itself copies styles to what it inserts, which the page's policy
 * forbids. No script causes it, so the message names no line of one.
 */
const isOfEditing = (message: ConsoleMessage) =>
  message.text().startsWith('Applying inline style violates') && message.location().lineNumber === 0;

/** What requests of a page carry from now on, by their addresses. */
function authorizationsOf(page: Page): ReadonlyMap<string, ReadonlySet<string | undefined>> {
  const found = new Map<string, Set<string | undefined>>();
  page.on('request', (request) => {
    const { authorization } = request.headers();
    found.set(request.url(), (found.get(request.url()) ?? new Set()).add(authorization));
  });
  return found;
}

/** The explorer, high enough to show every line of a response. */
export async function openExplorer(
  browser: Browser,
  url: string,
  { friends = [], ...more }: Partial<PageOptions & BrowserContextOptions> = {},
) {
  const viewport = { width: 1280, height: 1400 };
  const opened = await openPage(browser, url, { friends, viewport, ...more });
  const { page } = opened;
  const documents = page.getByRole('navigation', { name: 'Documents' });
  const editor = (name: string) => page.getByRole('textbox', { name, exact: true });
  const showTab = (name: string | RegExp) => page.getByRole('tab', { name }).click();
  /** Replaces the text by keys: the editor takes back a selection that a script makes while it gets the focus. */
  const retype = async (name: string, text: string) => {
    await editor(name).focus();
    await page.keyboard.press('ControlOrMeta+A');
    if (text === '') await page.keyboard.press('Delete');
    else await page.keyboard.insertText(text);
  };
  return {
    ...opened,
    documents,
    editor,
    showTab,
    result: editor('Response'),
    status: page.getByRole('region', { name: 'Response' }).getByRole('status'),
    isOpen: (name: string) => documents.locator('[aria-current]', { hasText: name }).waitFor(),
    open: (name: string) => documents.getByRole('button', { name }).click(),
    /** Waits for suggestions, which come with the schema. */
    async untilSchema() {
      await showTab('Schema');
      await page.getByRole('tabpanel', { name: 'Schema' }).getByText('Mutation', { exact: true }).waitFor();
      await showTab('Response');
    },
    async fillVariables(variables: unknown) {
      await showTab('Variables');
      await retype('Variables', JSON.stringify(variables));
    },
    write: (query: string) => retype('Query', query),
    send: () => page.getByRole('button', { name: 'Run', exact: true }).click(),
  };
}
