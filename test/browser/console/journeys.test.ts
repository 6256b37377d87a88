import { expect } from 'vitest';
import { signInUrls } from '../../../src/server/pages/sign-in.ts';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { sentAs } from '../explorer/signing-in.ts';
import { keptBy, test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);
const shops = Array.from({ length: 9 }, (_one, index) => `shop${index + 1}`);
const twelve = ['app01', 'app02', 'fragile', ...shops];

browsing(
  `${inChromium}, an operator signs in, finds twelve servers, stops them at once, sees one fail, and finds the event that explains it`,
  async ({ start, visitOf, sandbox }) => {
    for (const name of shops)
      expect((await sandbox.send('POST', '/sandbox/instances', { name })).ok).toBe(true);
    const location = '/subscriptions/11111111-2222-4333-8444-555555555555/resourceGroups/rg-north';
    const told = await sandbox.send('POST', '/sandbox/events', {
      trackingId: 'SI_7-PWR',
      properties: {
        eventType: 'ServiceIssue',
        eventLevel: 'Critical',
        status: 'Active',
        priority: 0,
        title: 'A row of hosts in North has no power',
        summary: '<p>Processes on these hosts do not respond &amp; cannot be ended.</p>',
        lastUpdateTime: new Date().toISOString(),
        impact: [
          {
            impactedService: 'Virtual Machines',
            impactedRegions: [{ impactedRegion: 'North', status: 'Active' }],
          },
        ],
      },
      impactedResources: [
        {
          targetResourceId: `${location}/providers/Vendor.Workloads/virtualInstances/N01/applicationInstances/fragile`,
        },
      ],
    });
    expect(told.ok).toBe(true);
    await sandbox.forgetCalls();
    const signIn = { ...signInUrls(sandbox.url), clientId: 'explorer', scope: 'user_impersonation' };
    const { url } = await start({ token: null, signIn, console: { subscriptionId: null, environment: [] } });
    const visit = await visitOf(url, { friends: [sandbox.url] });
    const { page, dialog } = visit;

    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'ada', exact: true }).click();
    const more = page.getByRole('combobox', { name: 'Add a subscription' });
    await more.selectOption(await more.getByRole('option', { name: 'Workloads' }).innerText());
    await visit.summary.getByText('119 components').waitFor();

    for (const found of ['n01 app0', 'n01 fragile']) {
      await page.getByLabel('Search').fill(found);
      await page.getByLabel(/^Select all/).check();
    }
    await page.getByLabel('Search').fill('n01 shop');
    await visit.summary.getByText('9 of 121 instances').waitFor();
    await page.getByLabel(/^Select all/).check();
    await page.getByRole('button', { name: 'Stop …' }).click();
    for (const name of twelve) await dialog.getByText(name, { exact: true }).waitFor();
    await dialog.getByLabel('Soft stop timeout (seconds)').fill('60');
    await dialog.getByRole('button', { name: 'Stop 12 instances' }).click();
    await page.getByRole('link', { name: 'Follow' }).click();

    await page.getByText('0 running operations, 12 finished, 1 of them failed').waitFor();
    const failed = page.getByRole('listitem', { name: 'Stop fragile' });
    await expect
      .poll(() => failed.locator('.failure').innerText())
      .toMatch(/Failed step: stop-process[\s\S]*did not end within its time/);
    await failed.getByRole('link').click();
    await page.getByRole('link', { name: 'fragile and its health events' }).click();
    await page.getByRole('link', { name: 'A row of hosts in North has no power' }).click();
    await page.getByText('Processes on these hosts do not respond & cannot be ended.').waitFor();
    await page.locator('.resources').getByRole('link', { name: 'fragile' }).waitFor();

    const stops = (await sandbox.calls()).filter(
      ({ method, path }) => method === 'POST' && path.includes('/stop'),
    );
    expect(stops.map(({ path }) => /Instances\/([\w-]+)\/stop/.exec(path)?.[1]).toSorted()).toEqual(
      twelve.toSorted(),
    );
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, a visitor without a token sees what this is and how to sign in, and nothing else; a token given by hand stays in the tab`,
  async ({ start, visitOf, sandbox }) => {
    const { url } = await start({ token: null });
    const visit = await visitOf(url);
    const { page } = visit;
    const secret = 'canary-token-of-a-visitor';
    await page.getByText('Find virtual instances, stop and start them').waitFor();
    expect(await page.getByRole('navigation').isVisible()).toBe(false);
    await expect.poll(() => page.getByRole('button').allInnerTexts()).toEqual(['Use token']);
    expect((await sandbox.calls()).filter(({ path }) => path.startsWith('/subscriptions'))).toEqual([]);

    await page.getByLabel('Token', { exact: true }).fill(`Bearer ${secret}`);
    await page.keyboard.press('Enter');
    await visit.stopHard('app01');
    await visit.row('app01').getByText('Stop succeeded').waitFor();

    const { local, session } = await keptBy(page);
    expect(JSON.stringify(local)).not.toContain(secret);
    expect(Object.keys(session)).toEqual(['tributary.session']);
    expect(page.url()).toBe(`${url}/console`);
    expect(await page.content()).not.toContain(secret);
    const sent = (await sandbox.calls()).filter(({ path }) => path.startsWith('/subscriptions/'));
    expect(new Set(sent.map(({ headers }) => headers.authorization))).toEqual(new Set([sentAs(secret)]));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Find virtual instances, stop and start them').waitFor();
    expect((await keptBy(page)).session).toEqual({});
    visit.expectPeace();
  },
);
