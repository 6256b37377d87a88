import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import { createExamples } from '../../../src/server/pages/examples.ts';
import { signInUrls } from '../../../src/server/pages/sign-in.ts';
import { signInCalls } from '../../sandbox/sign-in-caller.ts';
import { openExplorer, openPage, startExplorer, testInBrowser } from './chromium.ts';

const examples = createExamples({ companyId: sandboxCompanyId, ...sandboxExamples });

const asTarget = (url: string) => ({
  url,
  async send(method: string, path: string, options: RequestInit = {}) {
    const response = await fetch(url + path, { ...options, method });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  },
});

/** An explorer in Chromium, whose users sign in at the sandbox. */
export const test = testInBrowser
  .extend(
    'start',
    { scope: 'file' },
    async ({ startedSandbox }) =>
      (settings: Record<string, string> = {}) => {
        const signIn = {
          ...signInUrls(startedSandbox.url),
          clientId: 'explorer',
          scope: 'user_impersonation',
        };
        return startExplorer(
          startedSandbox.url,
          {
            examples,
            console: { subscriptionId: null, environment: [] },
            token: null,
            signIn,
          },
          settings,
        );
      },
  )
  .extend('layer', { scope: 'file' }, async ({ start }, { onCleanup }) => {
    const layer = await start();
    onCleanup(() => layer.stop());
    return layer;
  })
  .extend('url', async ({ layer, sandbox: _reset }) => layer.url)
  .extend(
    'visitOf',
    async ({ browser, sandbox }, { onCleanup }) =>
      async (url: string, name?: string, endsAt: number | null = null) => {
        const session = name !== undefined && {
          token: await signInCalls(asTarget(sandbox.url)).tokenOf(name),
          endsAt,
          isRefused: false,
        };
        const visit = await openExplorer(browser, url, {
          friends: [sandbox.url],
          ...(session && { session }),
        });
        onCleanup(() => visit.context.close());
        const { page } = visit;
        const user = page.locator('#user');
        const begin = () => user.getByRole('button', { name: /^Sign in/ }).click();
        return {
          ...visit,
          user,
          begin,
          /** Signs in as somebody, and comes back to the first document. */
          async signIn(name: string) {
            await begin();
            await page.getByRole('link', { name, exact: true }).click();
            await user.getByText(name).waitFor();
            await visit.open('Orders');
          },
        };
      },
  )
  .extend('visit', ({ visitOf, url }) => visitOf(url))
  /** A visit of the console, which has the same control. */
  .extend('consoleVisit', async ({ browser, url, sandbox }, { onCleanup }) => {
    const { context, page } = await openPage(browser, `${url}/console`, { friends: [sandbox.url] });
    onCleanup(() => context.close());
    const control = page.locator('.sign-in');
    return { page, control, begin: () => control.getByRole('button', { name: /^Sign in/ }).click() };
  })
  /** A visit of somebody who has signed in before. */
  .extend('visitAs', ({ visitOf, url }) => async (name: string) => {
    const visit = await visitOf(url, name);
    await visit.user.getByText(name).waitFor();
    return visit;
  });

/** A token as the sandbox's journal has it. */
export const sentAs = (token: string) =>
  `Bearer sha256:${createHash('sha256').update(token).digest('hex').slice(0, 12)}`;

/** The token that a tab holds. */
export const tokenIn = (page: Page): Promise<string> =>
  page.evaluate('JSON.parse(sessionStorage.getItem("tributary.session") ?? "{}").token ?? ""');

/** All that the origin of a page keeps for longer than its tab, as text. */
export async function everythingKept(page: Page): Promise<string> {
  const kept = await page.evaluate(`(async () => {
    const done = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const stores = [];
    for (const { name } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name));
      for (const store of database.objectStoreNames)
        stores.push(await done(database.transaction(store).objectStore(store).getAll()));
      database.close();
    }
    return [{ ...localStorage }, stores, await caches.keys(), document.cookie];
  })()`);
  return JSON.stringify(kept);
}

/** The explorer keeps what is written. */
export const untilKept = (page: Page, text: string) =>
  expect.poll(() => everythingKept(page)).toContain(text);

/** The addresses that a tab has been at, as its history keeps them. */
export async function historyOf(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { entries } = await session.send('Page.getNavigationHistory');
  return entries.map(({ url }) => url);
}
