import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { expectLargeText, violationsIn } from '../accessibility.ts';
import { openPage } from '../explorer/chromium.ts';
import { company, test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);

browsing(
  `${inChromium}, the page shows what there is, and the response to a GET of it`,
  async ({ visit }) => {
    const { page, records, instances, dialog, requests } = visit;
    await records.getByRole('row', { name: /^customers 300 / }).waitFor();
    await instances.getByRole('row', { name: /^fragile Fails fails at the third step/ }).waitFor();
    await page.getByRole('row', { name: /^guest does not consent/ }).waitFor();
    await page.getByLabel('Company').selectOption({ label: 'Fjordlys' });
    await records.getByRole('row', { name: /^customers (?!300)\d+ / }).waitFor();
    await page.getByLabel('Search instances').fill('never ends');
    await expect
      .poll(() => instances.getByRole('table', { name: 'Instances of N01' }).getByRole('row').count())
      .toBe(2);

    await instances.getByRole('button', { name: 'endless' }).click();
    await dialog.getByText('200 OK').waitFor();
    await dialog.getByText('"name": "endless"').waitFor();
    await dialog.getByLabel('Token').fill('reader');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await requests.getByText('reader').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });

    expect(await page.locator(':focus').innerText()).toBe('endless');
    await expect.poll(() => requests.count()).toBe(2);
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, a write of another client changes the number of records`,
  async ({ visit, sandbox }) => {
    await visit.records.getByRole('row', { name: /^items 120 / }).waitFor();
    await sandbox.send('POST', `${company}/items`, { displayName: 'A lamp' });

    await visit.records.getByRole('row', { name: /^items 121 / }).waitFor();
    visit.expectPeace();
  },
);

browsing(`${inChromium}, a reset is confirmed, and restores the start`, async ({ visit, call, sandbox }) => {
  const { page, dialog, armed, summary } = visit;
  await sandbox.send('DELETE', `${company}/customers(${sandboxExamples.customerId})`, undefined, {
    'if-match': '*',
  });
  await call(`${company}/items?$top=1`);
  await visit.setFault('Slow');
  await armed.getByText('Slow').waitFor();
  await summary.getByText('2 requests').waitFor();
  await page.getByRole('button', { name: 'Reset …' }).click();
  expect(await page.locator(':focus').innerText()).toBe('Cancel');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  expect(await sandbox.calls()).toHaveLength(2);

  await page.getByRole('button', { name: 'Reset …' }).click();
  await dialog.getByRole('button', { name: 'Reset', exact: true }).click();
  await summary.getByText('No requests yet.').waitFor();
  await page.getByText('No fault is set.').waitFor();
  await visit.records.getByRole('row', { name: /^customers 300 / }).waitFor();
  visit.expectPeace();
});

browsing(
  `${inChromium}, a page of another origin cannot reset the sandbox`,
  async ({ browser, sandbox, call }) => {
    await call(`${company}/items?$top=1`);
    const elsewhere = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>');
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const { port } = elsewhere.address() as AddressInfo;
    const { page, context } = await openPage(browser, `http://127.0.0.1:${port}/`, {
      friends: [sandbox.url],
    });
    const sent = await page.evaluate(`Promise.allSettled([
      fetch('${sandbox.url}/sandbox/reset', { method: 'POST', mode: 'no-cors' }),
      fetch('${sandbox.url}/sandbox/faults', { method: 'POST', mode: 'no-cors', body: '{"status":503}' }),
      fetch('${sandbox.url}/sandbox/journal', { method: 'DELETE' }),
      fetch('${sandbox.url}/sandbox/journal'),
    ]).then((results) => results.map(({ status }) => status))`);
    await context.close();
    elsewhere.close();
    elsewhere.closeAllConnections();
    const { faults } = (await (await fetch(`${sandbox.url}/sandbox/faults`)).json()) as { faults: unknown[] };

    // A page learns nothing of what became of the first two.
    expect(sent).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect(faults).toEqual([]);
    expect(await sandbox.calls()).toHaveLength(1);
  },
);

for (const colorScheme of ['light', 'dark'] as const)
  browsing(
    `${inChromium}, axe finds nothing in any state, ${colorScheme}, and nothing is wider than a phone`,
    async ({ visitOf, call, sandbox, browser }) => {
      const visit = await visitOf({ colorScheme, reducedMotion: 'reduce' });
      const { page, requests, armed, dialog } = visit;
      const check = async (state: string) => {
        for (const width of [320, 1280]) {
          await page.setViewportSize({ width, height: 900 });
          expect(await violationsIn(page, colorScheme), `${state}, ${width} px`).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth'), state).toBe(width);
        }
      };
      await check('empty');
      await sandbox.fault({ path: '/items', status: 503 });
      await visit.setFault('Throttle');
      await expect.poll(() => armed.count()).toBe(2);
      await page.getByText('More kinds').click();
      await call(`${company}/items?$filter=displayName eq '${'long'.repeat(200)}'`);
      await call(`/nowhere/${'x'.repeat(500)}`, 'whoever');
      await call(`${company}/customers?$top=1`);
      await sandbox.send('POST', '/api/v2.0/$batch', {
        requests: [{ id: '1', method: 'GET', url: `${company.slice('/api/v2.0/'.length)}/items?$top=1` }],
      });
      await expect.poll(() => requests.count()).toBe(4);
      for (const request of await requests.all()) await request.locator('summary').click();
      await check('requests and faults');
      await page.getByLabel('Filter requests').fill('none of them');
      await page.getByLabel('Search instances').fill('none of them');
      await check('nothing matches');
      await visit.records.getByRole('button', { name: 'salesOrders' }).click();
      await dialog.getByText('200 OK').waitFor();
      await check('sample');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Reset …' }).click();
      await check('reset');
      await expectLargeText(page);
      visit.expectPeace();

      for (const query of [
        '',
        `?client_id=explorer&redirect_uri=${sandbox.url}/x&response_type=token&scope=user_impersonation`,
      ]) {
        const signIn = await openPage(browser, `${sandbox.url}/common/oauth2/authorize${query}`, {
          friends: [],
          colorScheme,
        });
        for (const width of [320, 1280]) {
          await signIn.page.setViewportSize({ width, height: 900 });
          expect(await violationsIn(signIn.page, colorScheme), `sign-in ${query}`).toEqual([]);
          expect(await signIn.page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        }
        await expectLargeText(signIn.page);
        await signIn.context.close();
      }
    },
  );
