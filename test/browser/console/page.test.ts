import { expect } from 'vitest';
import { signInUrls } from '../../../src/server/pages/sign-in.ts';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { sentAs } from '../explorer/signing-in.ts';
import { keptBy, test, token } from './visiting.ts';

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

browsing(
  `${inChromium}, health events stand by their priority, tell what changes while they are open, and text stays text`,
  async ({ sandbox, start, visitOf }) => {
    const tell = (event: unknown) =>
      fetch(`${sandbox.url}/sandbox/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(event),
      });
    await tell(eventWith(0, 'first update'));
    const { url } = await start();
    const visit = await visitOf(url);
    const { page } = visit;
    const events = page.locator('#event-list > li');
    await events.first().waitFor();

    const priorities = (await events.locator('.facts').allInnerTexts()).flatMap((text) => {
      const [, type = ''] = text.split(' · ').slice(1);
      const [, priority] = /^Priority (\d+)/.exec(text) ?? [];
      return priority === undefined || type === '' ? [] : [Number(priority)];
    });
    expect(priorities).toEqual([0, 2, 5, 9, 18]);
    const first = events.first();
    expect(await first.locator('h3').innerText()).toBe(hostile('title'));
    expect(await first.locator('.impact').innerText()).toBe(
      `Affects ${hostile('service')} (${hostile('region')})`,
    );
    await first.locator('summary').click();
    await first.getByText('first update').waitFor();
    await tell(eventWith(1, 'second update'));
    await first.getByText('second update').waitFor();

    expect(await first.getByText('Priority 1 ·').count()).toBe(1);
    expect(await page.locator('#news').innerText()).toBe('Health event SI_9-EVL updated.');
    expect(await events.locator('img, script, b').count()).toBe(0);
    expect(await page.evaluate('typeof window.hostile')).toBe('undefined');
    visit.expectPeace();
  },
);

browsing(`${inChromium}, upstreams in trouble say so, and why`, async ({ sandbox, start, visitOf }) => {
  const { url } = await start();
  const visit = await visitOf(url);
  const { page } = visit;
  const upstream = (name: string) => page.locator('#upstream-list > li').filter({ hasText: name });
  await upstream('Business Records').getByText('✓ Idle').waitFor();
  await sandbox.fault({ path: '/companies', status: 503, times: 100 });
  await sandbox.fault({ path: '/events', status: 429, headers: { 'retry-after': '40' }, times: 100 });
  const ask = (query: string) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
    });

  await Promise.all(
    Array.from({ length: 20 }, (_, at) => ask(`{ companies(first: ${at + 1}) { nodes { name } } }`)),
  );
  await ask('{ healthEvents { totalCount } }');
  await page.reload();
  await upstream('Business Records').getByText('Degraded').waitFor();

  expect(await upstream('Business Records').innerText()).toMatch(
    /Circuit breaker open: your calls are not sent\.[\s\S]*Circuit open until/,
  );
  await upstream('Health Events').getByText('Throttled: your calls are not sent for now.').waitFor();
  expect(await upstream('Health Events').innerText()).toContain('Paused until');
  await page.locator('#events-fault').getByText('The upstream has asked this caller to wait').waitFor();
  expect(await upstream('Instance Control').getByText('✓ Idle').count()).toBe(1);
  visit.expectPeace();
});

browsing(
  `${inChromium}, a token given by hand is kept in the tab alone, and forgotten when it is said`,
  async ({ start, visitOf, sandbox }) => {
    const { url } = await start({ token: null });
    const visit = await visitOf(url);
    const { page } = visit;
    const secret = 'canary-token-of-a-visitor';
    await page.getByText('Sign in or enter a token').waitFor();
    expect(await page.getByRole('region').count()).toBe(0);

    await page.getByLabel('Token', { exact: true }).fill(`Bearer ${secret}`);
    await page.keyboard.press('Enter');
    await page.getByText('active events').waitFor();
    await visit.stopHard('app01');
    await visit.stateOf('Stop of app01').getByText('Succeeded').waitFor();

    const { local, session } = await keptBy(page);
    expect(JSON.stringify(local)).not.toContain(secret);
    expect(Object.keys(local)).toHaveLength(1);
    expect(Object.keys(session)).toEqual(['tributary.session']);
    expect(page.url()).toBe(`${url}/console`);
    expect(await page.content()).not.toContain(secret);
    const sent = (await sandbox.calls()).filter(({ path }) => path.startsWith('/subscriptions/'));
    expect(new Set(sent.map(({ headers }) => headers.authorization))).toEqual(new Set([sentAs(secret)]));
    await page.getByRole('button', { name: 'Remove token' }).click();
    await page.getByText('Sign in or enter a token').waitFor();
    expect((await keptBy(page)).session).toEqual({});
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, who signs in comes back to what was shared, and finds the same list at the next sign-in`,
  async ({ start, visitOf, sandbox }) => {
    const signIn = { ...signInUrls(sandbox.url), clientId: 'explorer', scope: 'user_impersonation' };
    const { url } = await start({ token: null, signIn, console: { instance: null } });
    const visit = await visitOf(url, { friends: [sandbox.url] });
    const { page } = visit;
    const list = page.locator('#operation-list > li');
    const signInAs = async (name: string) => {
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByText('Signed in').waitFor();
    };
    const signOut = async () => {
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
    };
    const handle = 'eyJhbGciOiJkaXIifQ..AAAA.AAAA.AAAA';

    await page.goto(`${url}/console#operation=${handle}`);
    await signInAs('ada');
    await list.getByText('is not the handle of an operation').waitFor();
    expect(page.url()).toBe(`${url}/console`);
    await signOut();
    await signInAs('guest');
    await page.getByText('No operations').waitFor();
    await page.locator('#events-fault:not(:empty)').waitFor();
    await signOut();
    await signInAs('ada');
    await list.getByText('is not the handle of an operation').waitFor();

    const { local, session } = await keptBy(page);
    expect(Object.keys(local)).toHaveLength(1);
    for (const part of JSON.parse(session['tributary.session'] ?? '{}').token.split('.'))
      expect(JSON.stringify(local)).not.toContain(part);
    visit.expectPeace();
  },
);
