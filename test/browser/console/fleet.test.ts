import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { keptBy, test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);

browsing(
  `${inChromium}, the fleet is searched, filtered, and selected by one and as a whole`,
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
    await expect.poll(() => selected.innerText()).toBe('1 selected');
    await page.getByLabel('Select all 24').check();
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
  async ({ visit, sandbox }) => {
    const { page, summary } = visit;
    await summary.getByText('2 virtual instances').waitFor();

    const more = page.getByRole('combobox', { name: 'Add a subscription' });
    await more.getByRole('option', { name: 'Trial' }).waitFor({ state: 'attached' });
    await expect
      .poll(() => more.getByRole('option').allInnerTexts())
      .toContainEqual(expect.stringMatching(/^Trial · [\da-f-]{36} · Disabled$/));
    const trial = await more.getByRole('option', { name: 'Trial' }).innerText();
    const [id = ''] = /[\da-f-]{36}/.exec(trial) ?? [];
    await sandbox.fault({ path: id, status: 403, body: { error: { code: 'AuthorizationFailed' } } });
    await more.selectOption(trial);
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
  `${inChromium}, on a phone a group is one line, and the first begins in the upper half of the screen`,
  async ({ visitOf, url }) => {
    const visit = await visitOf(url, { viewport: { width: 390, height: 844 } });
    const { page, summary } = visit;
    await summary.getByText('110 components').waitFor();
    const boxOf = async (selector: string) => (await page.locator(selector).first().boundingBox()) ?? null;
    const system = await boxOf('tr.system');
    expect(system?.y).toBeLessThan(844 / 2);

    await page.getByLabel('Search').fill('e01 app');
    await summary.getByText('24 of 112 instances').waitFor();
    for (const box of [system, await boxOf('tr.context')]) {
      expect(box?.width).toBeGreaterThan(300);
      expect(box?.height).toBeLessThan(48);
    }
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, all that match are selected, states are counted, and columns sort`,
  async ({ visit }) => {
    const { page, summary } = visit;
    const names = () => page.locator('tbody tr.component th a').allInnerTexts();
    await summary.getByText('110 components').waitFor();

    // More than the table shows at first.
    await page.getByLabel('Select all 112').check();
    await page.getByRole('group', { name: 'Selected instances' }).getByText('112 selected').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.locator('.totals').getByText('1 offline').waitFor();
    await page.getByLabel('Search').fill('e01 app0');
    await page.getByRole('button', { name: 'Name' }).click();
    await page.getByRole('button', { name: 'Name' }).click();
    await page
      .getByRole('columnheader', { name: 'Name' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    expect(await names()).toEqual((await names()).toSorted().toReversed());
    expect(await names()).toContain('app09');
    visit.expectPeace();
  },
);
