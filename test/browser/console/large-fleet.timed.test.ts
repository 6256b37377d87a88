import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { test } from './visiting.ts';

test.skipIf(!hasChromium)(
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
    expect(Math.max(0, ...long)).toBeLessThan(400);
    visit.expectPeace();
  },
);
