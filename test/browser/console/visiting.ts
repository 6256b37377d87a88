import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed/seed.ts';
import type { PagesOptions } from '../../../src/server/pages/pages.ts';
import type { Server } from '../../../src/server/server.ts';
import { openPage, startExplorer, testInBrowser } from '../explorer/chromium.ts';

/** What the sandbox is asked with, where a page fills it in. */
export const token = 'sandbox';

const pages: PagesOptions = {
  examples: null,
  console: { instance: sandboxExamples.instance },
  token,
  signIn: null,
};

// What takes longer than a look at the machine would is not going to happen.
const patienceMs = 10_000;

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
  return {
    page,
    dialog,
    stop: page.getByRole('button', { name: 'Stop …' }),
    start: page.getByRole('button', { name: 'Start …' }),
    connection: page.getByRole('banner').getByRole('status').first(),
    card: (name: string) => page.getByRole('listitem', { name, exact: true }),
    /** How an operation stands; its steps have states of their own. */
    stateOf: (name: string) => page.getByRole('listitem', { name, exact: true }).locator('> .state'),
    name: (instance: string) => page.getByLabel('Application instance').fill(instance),
    /** Stops an instance hard, and says so. */
    async stopHard(instance: string) {
      await page.getByLabel('Application instance').fill(instance);
      await page.getByRole('button', { name: 'Stop …' }).click();
      await dialog.getByRole('button', { name: `Hard-stop ${instance}` }).click();
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
