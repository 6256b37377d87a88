import type { Browser, BrowserContextOptions } from 'playwright-core';
import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { openPage, testInBrowser } from '../explorer/chromium.ts';

export const company = `/api/v2.0/companies(${sandboxCompanyId})`;

const patienceMs = 30_000;

/** The page of a sandbox in Chromium. */
export const test = testInBrowser
  .extend(
    'visitOf',
    async ({ browser, sandbox }, { onCleanup }) =>
      async (options: BrowserContextOptions = {}) => {
        const visit = await openSandbox(browser, sandbox.url, options);
        onCleanup(() => visit.page.context().close());
        return visit;
      },
  )
  .extend('visit', ({ visitOf }) => visitOf())
  /** Sends a GET, as Tributary would. */
  .extend(
    'call',
    ({ sandbox }) =>
      (path: string, token = 'sandbox') =>
        fetch(sandbox.url + path, { headers: { authorization: `Bearer ${token}` } }),
  );

export async function openSandbox(browser: Browser, url: string, options: BrowserContextOptions) {
  const { context, page, foreign, complaints } = await openPage(browser, `${url}/sandbox`, {
    friends: [],
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  context.setDefaultTimeout(patienceMs);
  await page.locator('#connection').getByText('Live').waitFor();
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  return {
    page,
    journal: section('Journal'),
    requests: page.getByRole('list', { name: 'Requests, newest first' }).locator('> li'),
    summary: page.locator('#journal-summary'),
    faults: section('Faults'),
    armed: page.getByRole('list', { name: 'Faults that are set' }).locator('> li'),
    records: section('Business Records (A)'),
    instances: section('Instance Control (B)'),
    failure: page.getByRole('alert'),
    dialog: page.getByRole('dialog'),
    setFault: (kind: string) => section('Faults').getByRole('button', { name: kind, exact: true }).click(),
    /** Nothing was asked of anybody else, and the browser found nothing to complain of. */
    expectPeace: () => expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] }),
  };
}
