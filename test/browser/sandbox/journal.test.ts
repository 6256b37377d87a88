import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { company, openSandbox, test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);

browsing(
  `${inChromium}, the journal shows a call as it arrives, and opens to show all of it`,
  async ({ visit, call }) => {
    const { requests, summary, page } = visit;
    await summary.getByText('No requests yet.').waitFor();

    await call(`${company}/customers?$top=1`);
    await requests.getByText('200').waitFor();

    expect(await requests.first().innerText()).toMatch(
      /GET\n\/api\/v2\.0\/companies\([\da-f]{4}…\)\/customers\?\$top=1\n200\n\d+ ms\nBusiness Records\nsandbox/,
    );
    await page.keyboard.press('Tab');
    await requests.first().locator('summary').focus();
    await page.keyboard.press('Enter');
    await requests.first().getByText(`${company}/customers?$top=1`).last().waitFor();
    await requests
      .first()
      .getByText(/authorization: Bearer sha256:[\da-f]{12}/)
      .waitFor();
    await call('/nowhere', 'whoever');
    await expect.poll(() => requests.count()).toBe(2);
    expect(await requests.first().innerText()).toMatch(/404\n[\s\S]*Unknown path\nToken [\da-f]{6}/);
    expect(await requests.last().locator('details').getAttribute('open')).toBe('');
    visit.expectPeace();
  },
);

browsing(`${inChromium}, the journal is filtered, paused and emptied`, async ({ visit, call, sandbox }) => {
  const { requests, summary, page } = visit;
  await call(`${company}/customers?$top=1`);
  await call(`${company}/items?$top=1`, 'ada');
  await call('/subscriptions?api-version=2022-12-01');
  await summary.getByText('3 requests').waitFor();

  await page.getByLabel('Filter requests').fill('items ada 200');
  await summary.getByText('1 of 3 requests').waitFor();
  await page.getByLabel('Filter requests').fill('');
  await page.locator('#journal-area').selectOption('instances');
  await expect.poll(() => requests.count()).toBe(1);
  await page.locator('#journal-area').selectOption('');
  await page.getByRole('button', { name: 'Pause' }).click();
  await call(`${company}/items?$top=2`);
  await summary.getByText('Paused. 1 new.').waitFor();
  expect(await requests.count()).toBe(3);
  await page.getByRole('button', { name: 'Continue' }).click();
  await summary.getByText('4 requests').waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await summary.getByText('No requests yet.').waitFor();

  expect(await sandbox.calls()).toEqual([]);
  visit.expectPeace();
});

browsing(
  `${inChromium}, text of a request is shown as text, and a burst leaves the last 500 rows`,
  async ({ visit, call, sandbox }) => {
    const { requests, summary, page } = visit;
    for (let at = 0; at < 510; at += 1) await call(`/nothing/${at}`);
    await sandbox.send('POST', '/nothing', '<b>bold</b>');
    await summary.getByText('The last 500 requests').waitFor();

    await expect.poll(() => requests.first().innerText()).toContain('POST');
    await requests.first().locator('summary').click();
    await requests.first().getByText('"<b>bold</b>"').waitFor();
    expect(await requests.count()).toBe(500);
    expect(await page.locator('#journal-list b').count()).toBe(0);
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, a page whose sandbox is started again shows the journal of the new one`,
  async ({ browser }) => {
    const first = await startTestSandbox();
    const { page, requests } = await openSandbox(browser, first.url, {});
    await first.send('GET', '/first');
    await requests.getByText('/first').waitFor();
    await first.stop();
    await page.locator('#connection').getByText('Disconnected').waitFor();
    const second = await startTestSandbox({ port: Number(new URL(first.url).port) });
    await second.send('GET', '/second');

    await expect.poll(() => requests.locator('.path').allInnerTexts()).toEqual(['/second']);
    await page.locator('#connection').getByText('Live').waitFor();
    await page.context().close();
    await second.stop();
  },
);
