import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);

const hostile = (text: string) =>
  `<img src="x" onerror="window.hostile = '${text}'"><script>window.hostile = 1</script> ${text}`;
const eventWith = (priority: number, update: string) => ({
  trackingId: 'SI_9-EVL',
  properties: {
    eventType: 'ServiceIssue',
    eventLevel: 'Critical',
    status: 'Active',
    priority,
    title: hostile('title'),
    summary: hostile('summary'),
    impact: [
      {
        impactedService: hostile('service'),
        impactedRegions: [
          {
            impactedRegion: hostile('region'),
            status: 'Active',
            updates: [{ summary: hostile(update), updateDateTime: '2026-01-01T10:00:00Z' }],
          },
        ],
      },
    ],
  },
});

const tellOf = (url: string) => async (event: unknown) => {
  const response = await fetch(`${url}/sandbox/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(event),
  });
  expect(response.ok).toBe(true);
};

browsing(
  `${inChromium}, events stand by status, severity and priority, and new ones appear by themselves`,
  async ({ visit, sandbox }) => {
    const { page } = visit;
    await visit.go('Health events');
    const events = page.locator('.events > li');
    const first = (count: number) =>
      events
        .locator('.chips')
        .evaluateAll((all, most) => all.slice(0, most).map((one) => one.textContent), count);
    await page.getByText(/^9 active events, \d+ others$/).waitFor();

    expect(await first(6)).toEqual([
      'CriticalActiveNo priority',
      'CriticalActiveNo prioritySensitive',
      'ErrorActivePriority 5',
      'ErrorActivePriority 18Sensitive',
      'WarningActivePriority 2',
      'WarningActivePriority 9',
    ]);
    await expect
      .poll(() => events.nth(4).innerText())
      .toMatch(/Virtual Machines, Block Storage · West, West US/);
    await tellOf(sandbox.url)(eventWith(0, 'an update'));
    await page
      .locator('#news')
      .getByText(/Health event .*: new\./)
      .waitFor({ state: 'attached' });
    expect((await first(1))[0]).toBe('CriticalActivePriority 0');
    await page.getByLabel('Severity').selectOption('Warning');
    await page.getByLabel('Search').fill('sql north');
    await expect.poll(() => events.locator('h3').allInnerTexts()).toEqual(['Databases move to new hosts']);
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, the page of an event shows its updates as they come, and markup in none of its texts`,
  async ({ sandbox, visitOf, url }) => {
    const tell = tellOf(sandbox.url);
    await tell(eventWith(0, 'first update'));
    const visit = await visitOf(url, { hash: '#/events/tenant/SI_9-EVL' });
    const { page } = visit;
    await page.getByText('first update').waitFor();
    await tell(eventWith(1, 'second update'));
    await page.getByText('second update').waitFor();

    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('title');
    await expect.poll(() => page.getByText('Priority 1').count()).toBe(1);
    await expect.poll(() => page.getByRole('heading', { level: 3 }).innerText()).toBe(hostile('service'));
    const time = page.locator('.updates time');
    await expect.poll(() => time.getAttribute('datetime')).toBe('2026-01-01T10:00:00.000Z');
    await expect.poll(() => time.getAttribute('title')).toContain('2026');
    expect(await page.locator('main :is(img, script, b)').count()).toBe(0);
    expect(await page.evaluate('typeof window.hostile')).toBe('undefined');
    visit.expectPeace();
  },
);
