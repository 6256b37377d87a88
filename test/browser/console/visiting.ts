import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed.ts';
import type { PagesOptions } from '../../../src/server/pages/pages.ts';
import type { Server } from '../../../src/server/server.ts';
import { openPage, startExplorer, testInBrowser } from '../explorer/chromium.ts';

/** What the sandbox is asked with, where a page fills it in. */
const token = 'sandbox';

const pages: PagesOptions = {
  examples: null,
  console: {
    subscriptionId: sandboxExamples.instance.subscriptionId,
    environment: [{ areas: 'Environment', address: 'Sandbox' }],
  },
  token,
  signIn: null,
};

// What takes longer than a look at the machine would is not going to happen.
const patienceMs = 30_000;

/** A console in Chromium, over a sandbox. */
export const test = testInBrowser
  .extend('start', async ({ sandbox }, { onCleanup }) => {
    const started: Server[] = [];
    onCleanup(async () => {
      for (const layer of started) await layer.stop();
    });
    return async (given: Partial<PagesOptions> = {}, settings: Record<string, string> = {}) => {
      const layer = await startExplorer(
        sandbox.url,
        { ...pages, ...given },
        { POLL_HEALTH_MS: '100', ...settings },
      );
      started.push(layer);
      return {
        url: layer.url,
        async stop() {
          started.splice(started.indexOf(layer), 1);
          await layer.stop();
        },
      };
    };
  })
  .extend('visitOf', async ({ browser }, { onCleanup }) => {
    const visits: Visit[] = [];
    onCleanup(async () => {
      for (const { page } of visits) await page.context().close();
    });
    return async (url: string, options: VisitOptions = {}) => {
      const visit = await openConsole(browser, url, options);
      visits.push(visit);
      return visit;
    };
  })
  .extend('url', async ({ start }) => (await start()).url)
  .extend('visit', ({ visitOf, url }) => visitOf(url));

interface VisitOptions extends BrowserContextOptions {
  /** What follows `/console` in the address. */
  readonly hash?: string;
  /** Who else may be asked. */
  readonly friends?: readonly string[];
}

export type Visit = Awaited<ReturnType<typeof openConsole>>;

/** The console as on a first visit, and all that goes wrong with it. */
async function openConsole(
  browser: Browser,
  url: string,
  { hash = '', friends = [], ...options }: VisitOptions,
) {
  const { context, page, foreign, complaints } = await openPage(browser, `${url}/console${hash}`, {
    friends,
    viewport: { width: 1200, height: 900 },
    ...options,
  });
  context.setDefaultTimeout(patienceMs);

  const dialog = page.getByRole('dialog');
  const check = (instance: string, system = 'N01') =>
    page.getByRole('checkbox', { name: `Select ${instance} of ${system}`, exact: true });
  return {
    page,
    dialog,
    check,
    connection: page.locator('#connection'),
    summary: page.locator('main .summary'),
    /** What the action was refused for. */
    refusal: page.locator('.notice:not(.begun)'),
    go: (view: string) => page.getByRole('navigation').getByRole('link', { name: view }).click(),
    row: (instance: string) => page.locator('tr.component', { has: check(instance) }),
    /** How an operation stands. */
    stateOf: (name: string) => page.getByRole('listitem', { name, exact: true }).locator('.state'),
    /** Selects these and opens the dialog. */
    async choose(action: 'Stop' | 'Start', ...instances: string[]) {
      for (const instance of instances) await check(instance).check();
      await page.getByRole('button', { name: `${action} …` }).click();
    },
    /** Stops these hard, and says so. */
    async stopHard(...instances: string[]) {
      for (const instance of instances) await check(instance).check();
      await page.getByRole('button', { name: 'Stop …' }).click();
      await dialog.getByRole('radio', { name: 'Hard stop' }).check();
      await dialog.getByRole('button', { name: /^Hard-stop/ }).click();
    },
    /** Whether what the selector names has the focus. */
    isFocused: async (selector: string) => (await page.locator(`${selector}:focus`).count()) === 1,
    /** Nothing was asked of anybody else, and the browser found nothing to complain of. */
    expectPeace: () => expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] }),
  };
}

/** What the browser keeps for longer than the tab, and what the tab keeps. */
export const keptBy = (
  page: Page,
): Promise<{ local: Record<string, string>; session: Record<string, string> }> =>
  page.evaluate('({ local: { ...localStorage }, session: { ...sessionStorage } })');
