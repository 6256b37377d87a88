import { pino } from 'pino';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { startTributary } from '../../../src/app/compose.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { PagesOptions } from '../../../src/server/pages/pages.ts';
import { chromiumPath } from '../../support/chromium.ts';
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

// Altair says so of each part of an answer that the network delivers in parts, before it puts them together.
const partialAnswer = 'Could not parse JSON. Using default instead.';

export const launchChromium = () => chromium.launch({ executablePath: chromiumPath, args: chromiumFlags });

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
    readConfig(given, () => ''),
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
    if (message.type() === 'error' && message.text() !== partialAnswer) complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  if (session) {
    // A small file of the same origin.
    await page.goto(new URL('/pages/style.css', address).href);
    const kept = JSON.stringify(JSON.stringify(session));
    await page.evaluate(`sessionStorage.setItem('tributary.session', ${kept})`);
  }
  await page.goto(address);
  return { context, page, foreign, complaints, authorizations };
}

/** What requests of a page carry from now on, by their addresses. */
function authorizationsOf(page: Page): ReadonlyMap<string, ReadonlySet<string | undefined>> {
  const found = new Map<string, Set<string | undefined>>();
  page.on('request', (request) => {
    const { authorization } = request.headers();
    found.set(request.url(), (found.get(request.url()) ?? new Set()).add(authorization));
  });
  return found;
}

/** The explorer, high enough to show every line of an answer. */
export async function openExplorer(
  browser: Browser,
  url: string,
  { friends = [], ...more }: Partial<PageOptions> = {},
) {
  const viewport = { width: 1280, height: 1400 };
  // Altair's animations would take most of a busy machine's time.
  const opened = await openPage(browser, url, { friends, viewport, reducedMotion: 'reduce', ...more });
  const { page } = opened;

  const tabs = page.locator('app-window-switcher-item');
  const window = page.locator('app-window:visible');
  const isOpen = (name: string) =>
    tabs.filter({ hasText: name }).locator('.window-switcher__item--active').waitFor();
  return {
    ...opened,
    tabs,
    window,
    result: window.locator('app-query-result'),
    isOpen,
    async open(name: string) {
      await tabs.filter({ hasText: name }).click();
      await isOpen(name);
    },
    async fillVariables(variables: unknown) {
      await window.getByText('Variables', { exact: true }).click();
      await window.locator('app-variables-editor .cm-content').fill(JSON.stringify(variables));
    },
    write: (query: string) => window.locator('app-query-editor .cm-content').fill(query),
    send: () => window.getByRole('button', { name: 'Send Request' }).click(),
  };
}
