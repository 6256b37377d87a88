import { expect } from 'vitest';
import { signInUrls } from '../../../src/server/pages/sign-in.ts';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { sentAs } from '../explorer/signing-in.ts';
import { keptBy, test, token } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);

browsing(`${inChromium}, upstreams in trouble say so, and why`, async ({ sandbox, start, visitOf }) => {
  const { url } = await start();
  const visit = await visitOf(url);
  const { page } = visit;
  const upstream = (name: string) => page.locator('.upstreams > li').filter({ hasText: name });
  await visit.go('Upstreams');
  await upstream('Business Records').getByText('Idle').waitFor();
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

  await expect
    .poll(() => upstream('Business Records').innerText())
    .toMatch(
      /Circuit breaker (open: your calls are not sent\.[\s\S]*Circuit open until|half-open: the next call is a trial\.)/,
    );
  await upstream('Health Events').getByText('Throttled: your calls are not sent for now.').waitFor();
  await expect.poll(() => upstream('Health Events').innerText()).toContain('Paused until');
  await page.getByRole('navigation').getByText('2 degraded').waitFor();
  await expect.poll(() => upstream('Instance Control').getByText('Healthy').count()).toBe(1);
  visit.expectPeace();
});

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

browsing(
  `${inChromium}, who signs in is named beside the environment, comes back to the page of the link, and leaves nothing to the next user`,
  async ({ start, visitOf, sandbox }) => {
    const signIn = { ...signInUrls(sandbox.url), clientId: 'explorer', scope: 'user_impersonation' };
    const environment = [{ areas: 'Instances and health', address: 'management.example' }];
    const { url } = await start({ token: null, signIn, console: { subscriptionId: null, environment } });
    const visit = await visitOf(url, { friends: [sandbox.url], hash: '#/upstreams' });
    const { page } = visit;
    const signInAs = async (name: string) => {
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name: 'Upstreams' }).waitFor();
    };
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await expect.poll(() => page.getByRole('button').allInnerTexts()).toEqual(['Sign in']);

    await signInAs('ada');
    expect(page.url()).toBe(`${url}/console#/upstreams`);
    await expect
      .poll(() => page.getByRole('banner').innerText())
      .toMatch(/Instances and health management\.example[\s\S]*ada/i);
    await visit.go('Fleet');
    await page
      .getByRole('combobox', { name: 'Add a subscription' })
      .selectOption({ label: 'Workloads · 11111111-2222-4333-8444-555555555555' });
    await visit.summary.getByText('2 virtual instances, 110 components').waitFor();
    await expect.poll(() => page.locator('.tags li').innerText()).toMatch(/^Workloads/);
    await visit.go('Upstreams');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signInAs('guest');
    await visit.go('Fleet');
    await page.getByText('Choose a subscription to see its virtual instances.').waitFor();

    const { local, session } = await keptBy(page);
    expect(Object.keys(local)).toHaveLength(1);
    for (const part of JSON.parse(session['tributary.session'] ?? '{}').token.split('.'))
      expect(JSON.stringify(local)).not.toContain(part);
    visit.expectPeace();
  },
);
