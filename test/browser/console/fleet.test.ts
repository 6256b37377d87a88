import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { keptBy, test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);

browsing(
  `${inChromium}, the fleet is searched, filtered, and selected by one, by range and as a whole`,
  async ({ visit }) => {
    const { page, check, summary } = visit;
    const rows = page.locator('tbody tr:not(.context)');
    const selected = page.getByRole('group', { name: 'Selected instances' }).getByRole('status');
    await summary.getByText('2 virtual instances, 110 components').waitFor();
    await expect
      .poll(() => page.locator('tbody tr').first().innerText())
      .toMatch(/N01\s+rg-north[\s\S]*Virtual instance\s+Partially running\s+Degraded/);

    await page.getByLabel('Search').fill('e01 app');
    await summary.getByText('24 of 112 instances').waitFor();
    await expect.poll(() => page.locator('tr.context').innerText()).toContain('E01Production rg-east');
    await check('app03', 'E01').check();
    await check('app07', 'E01').click({ modifiers: ['Shift'] });
    await expect.poll(() => selected.innerText()).toBe('5 selected');
    await page.getByLabel('Select all shown').check();
    await expect.poll(() => selected.innerText()).toBe('24 selected');
    await page.getByLabel('Search').fill('offline');
    await rows.getByText('offline', { exact: true }).waitFor();
    expect(await rows.count()).toBe(1);
    await expect.poll(() => selected.innerText()).toBe('24 selected');
    await page.getByRole('button', { name: 'Clear' }).click();

    await page.getByLabel('Search').fill('');
    await page.getByLabel('Kind', { exact: true }).selectOption('Database');
    await page.getByLabel('Status', { exact: true }).selectOption('Running');
    await summary.getByText('3 of 112 instances').waitFor();
    await expect.poll(() => rows.locator('th').allInnerTexts()).toEqual(['db0', 'db0', 'db1']);
    await page.getByLabel('Search').fill('nowhere');
    await page.getByText('Nothing matches.').waitFor();
    await visit.go('Upstreams');
    await visit.go('Fleet');
    await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('nowhere');
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, chosen subscriptions are remembered, and one that is refused says so`,
  async ({ visit }) => {
    const { page, summary } = visit;
    await summary.getByText('2 virtual instances').waitFor();

    const more = page.getByRole('combobox', { name: 'Add a subscription' });
    await more.getByRole('option', { name: 'Trial' }).waitFor({ state: 'attached' });
    await expect
      .poll(() => more.getByRole('option').allInnerTexts())
      .toContainEqual(expect.stringMatching(/^Trial · [\da-f-]{36} · Disabled$/));
    await more.selectOption(await more.getByRole('option', { name: 'Trial' }).innerText());
    await page.locator('main > .fault:not(:empty)').waitFor();
    await page.getByRole('button', { name: 'Remove subscription Workloads' }).click();
    await page.reload();
    await page.getByText('There is no virtual instance in this subscription').waitFor();

    await page.locator('.tags').getByText('Trial').waitFor();
    await expect.poll(() => page.locator('.tags li').count()).toBe(1);
    const { local } = await keptBy(page);
    expect(Object.keys(local)).toEqual([
      expect.stringMatching(/^tributary\.console\.[\da-f]{16}\.subscriptions$/),
    ]);
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, 600 instances come by one query and, with their components, as they are read, and no task blocks the page`,
  async ({ start, visitOf, onTestFinished }) => {
    const sandbox = await startTestSandbox();
    onTestFinished(() => sandbox.stop());
    // Beside N01 and E01, F001 to F098 with four components each.
    for (let number = 1; number <= 98; number += 1) {
      const name = `F${String(number).padStart(3, '0')}`;
      await sandbox.send('POST', '/sandbox/virtual-instances', { name, applicationInstances: 2 });
    }
    await sandbox.send('POST', '/sandbox/instances', { pageSize: 100 });
    const { url } = await start({}, { MANAGEMENT_URL: sandbox.url });
    const visit = await visitOf(url);
    const { page, summary } = visit;
    await page.evaluate(`new PerformanceObserver((list) => {
      (window.long ??= []).push(...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: 'longtask', buffered: true })`);
    await summary.getByText('100 virtual instances').waitFor();
    await page.getByLabel('Search').fill('f050');
    await page.getByRole('link', { name: 'F050' }).waitFor();
    await page.getByLabel('Search').fill('');
    await page.getByRole('progressbar', { name: 'Loading the fleet' }).waitFor();

    await summary.getByText('100 virtual instances, 502 components').waitFor({ timeout: 90_000 });
    const rows = page.locator('tbody tr');
    expect(await rows.count()).toBeLessThan(300);
    await page.getByRole('button', { name: /^Show 100 more of/ }).focus();
    await page.keyboard.press('Enter');
    for (let count = await rows.count(); count < 500; count = await rows.count())
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByLabel('Kind', { exact: true }).selectOption('Database');
    await summary.getByText('101 of 602 instances').waitFor();

    const long: number[] = await page.evaluate('window.long ?? []');
    // A busy machine of the tests makes tasks several times longer than a desk's.
    expect(Math.max(0, ...long)).toBeLessThan(1_000);
    visit.expectPeace();
  },
);
