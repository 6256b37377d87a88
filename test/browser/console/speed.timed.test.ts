import { expect } from 'vitest';
import { signInUrls } from '../../../src/server/pages/sign-in.ts';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { slowDown } from '../slow-link.ts';
import { test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);
const maxBytes = 150_000;

/** All files that a visit of the page loads, before compression. */
async function loadedBy(page: import('playwright-core').Page, url: string): Promise<Map<string, number>> {
  const paths: string[] = await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((path) => path.startsWith('/pages/'))`,
  );
  const sizes = ['/console', ...new Set(paths)].map(async (path): Promise<[string, number]> => {
    const response = await fetch(url + path, { headers: { 'accept-encoding': 'identity' } });
    return [path, (await response.arrayBuffer()).byteLength];
  });
  return new Map(await Promise.all(sizes));
}

browsing(
  `${inChromium}, the console has less than 150 kB in all before compression, and nothing is requested twice`,
  async ({ visitOf, start, sandbox }) => {
    const signIn = { ...signInUrls(sandbox.url), clientId: 'explorer', scope: 'all' };
    for (const access of [{}, { token: null, signIn }]) {
      const { url } = await start(access);
      const { page } = await visitOf(url, { friends: [sandbox.url] });
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');

      const sizes = await loadedBy(page, url);
      const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      expect(sizes.size).toBeGreaterThan(25);
      expect(total).toBeLessThan(maxBytes);
      expect([...sizes.keys()].filter((path) => path.includes('oauth4webapi'))).toEqual([]);
    }
  },
);

browsing(
  `${inChromium}, it is painted within a second at 1.6 Mbit/s and 150 ms`,
  async ({ browser, url }) => {
    const paints: number[] = [];
    // The first visit also warms the server up: files are compressed when they are first requested.
    for (let visit = 0; visit < 3; visit++) {
      const context = await browser.newContext();
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      await slowDown(page);
      await page.goto(`${url}/console`);
      const first: number = await page.evaluate(`new Promise((resolve) => new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime);
    }).observe({ type: 'paint', buffered: true }))`);
      paints.push(first);
      await context.close();
    }
    expect(Math.min(...paints)).toBeLessThan(1_000);
  },
);
