import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { filesPathOf } from '../../support/files-path.ts';
import { violationsIn } from '../accessibility.ts';
import { everythingKept, historyOf, sentAs, test, tokenIn, untilKept } from './signing-in.ts';

const browsing = test.skipIf(!hasChromium);

browsing(
  `${inChromium}, who has signed in sends the token with queries and subscriptions of every document`,
  async ({ visitAs, sandbox }) => {
    const visit = await visitAs('ada');
    const { page, result } = visit;

    await visit.send();
    await result.getByText('"Harbour & Heath"').waitFor();
    const token = await tokenIn(page);
    await visit.open('Stop and watch');
    await visit.send();
    await result.filter({ hasText: /"operationProgress": \{\s*"state": "SUCCEEDED"/ }).waitFor();
    await page.getByRole('button', { name: 'New document' }).click();
    await visit.write('{ companies { totalCount } }');
    await visit.send();
    await result.getByText('"totalCount": 2').waitFor();

    const sent = (await sandbox.calls()).filter(({ path }) => /^\/(api|subscriptions)\//.test(path));
    expect(sent.map(({ path }) => path)).toContainEqual(expect.stringContaining('/operationStatuses/'));
    expect(sent.map(({ path }) => path)).toContainEqual(expect.stringContaining('/companies?'));
    expect(new Set(sent.map(({ headers }) => headers.authorization))).toEqual(new Set([sentAs(token)]));
    expect({ foreign: visit.foreign, complaints: visit.complaints }).toEqual({ foreign: [], complaints: [] });
  },
);

browsing(
  `${inChromium}, the token is in this tab alone, and no code is in its history`,
  async ({ visit, url }) => {
    const { page, result } = visit;

    await visit.signIn('ada');
    await visit.send();
    await result.getByText('"Harbour & Heath"').waitFor();
    await visit.write('{ kept: __typename }');
    await untilKept(page, 'kept: __typename');

    const token = await tokenIn(page);
    const kept = await everythingKept(page);
    expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    for (const part of token.split('.')) expect(kept).not.toContain(part);
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual(['tributary.session']);
    expect(page.url()).toBe(`${url}/`);
    expect((await historyOf(page)).filter((address) => address.startsWith(url))).toEqual([
      `${url}/`,
      `${url}/`,
    ]);
    const other = await page.context().newPage();
    await other.goto(`${url}/console`);
    await other.locator('.sign-in').getByRole('button', { name: 'Sign in' }).waitFor();
  },
);

browsing(
  `${inChromium}, the token goes to the graph of this server, and never in place of an authorization of one's own`,
  async ({ visitAs, url }) => {
    const visit = await visitAs('ada');
    const { page, user, result, authorizations: sent } = visit;
    const files = `${url}${await filesPathOf(url)}`;

    await visit.send();
    await result.getByText('"Harbour & Heath"').waitFor();
    await visit.showTab('Headers');
    await visit.editor('Headers').fill('Authorization: Bearer mine');
    await visit.send();
    await visit.status.filter({ hasText: 'Status 200' }).waitFor();

    const token = await tokenIn(page);
    for (const file of ['explorer/main.js', 'explorer/settings.js', 'explorer/libraries.js'])
      expect([file, sent.get(files + file)]).toEqual([file, new Set([undefined])]);
    expect(sent.get(`${url}/graphql`)).toEqual(new Set([`Bearer ${token}`, 'Bearer mine']));
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain('mine');
    await user.getByRole('button', { name: 'Sign out' }).click();
    await user.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual(['tributary.explorer.headers']);
  },
);

browsing(
  `${inChromium}, who is signed out is offered to sign in by Run, and comes back to the document`,
  async ({ visit }) => {
    const { page, result } = visit;
    const offer = page.locator('#offer');
    await visit.write('query Mine { companies { totalCount } }');
    await visit.send();
    await offer.getByText('Sign in to run this document.').waitFor();
    expect(await violationsIn(page, 'light')).toEqual([]);
    await offer.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'ada', exact: true }).click();

    await visit.isOpen('Mine');
    await visit.send();
    await result.getByText('"totalCount": 2').waitFor();
    expect(await offer.innerText()).toBe('');
  },
);

browsing(`${inChromium}, the control is reached and used by the keyboard`, async ({ visit, sandbox }) => {
  const { page, user } = visit;
  await user.getByRole('button', { name: 'Sign in' }).waitFor();

  const focused = user.locator('button:focus');
  for (let step = 0; step < 10 && (await focused.count()) === 0; step++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${sandbox.url}/common/oauth2/authorize?*`);

  const asked = new URL(page.url()).searchParams;
  expect(Object.fromEntries(asked)).toEqual({
    response_type: 'code',
    client_id: 'explorer',
    redirect_uri: expect.stringMatching(/\/signed-in$/),
    scope: 'user_impersonation',
    state: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
});

browsing(
  `${inChromium}, who has not let anyone act for him reads records and is FORBIDDEN instances and health events`,
  async ({ visitAs }) => {
    const visit = await visitAs('guest');
    const { result } = visit;

    await visit.send();
    await result.getByText('"Harbour & Heath"').waitFor();
    await visit.open('Health event');
    await visit.send();
    await result.filter({ hasText: /"code": "FORBIDDEN",\s*"upstream": "health"/ }).waitFor();
    await visit.write(`{ applicationInstance(subscriptionId: "11111111-2222-4333-8444-555555555555",
      resourceGroupName: "rg-north", virtualInstanceName: "N01", applicationInstanceName: "app01") { status } }`);
    await visit.send();
    await result.filter({ hasText: /"code": "FORBIDDEN",\s*"upstream": "instances"/ }).waitFor();

    await expect.poll(() => visit.user.getByRole('status').innerText()).toBe('');
  },
);
