import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { filesPathOf } from '../../support/files-path.ts';
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
  `${inChromium}, an answer with another state is refused, and so is one that nobody asked for`,
  async ({ consoleVisit, sandbox, url }) => {
    const { page, begin } = consoleVisit;
    const alert = page.getByRole('alert');
    await begin();
    await page.getByRole('link', { name: 'ada', exact: true }).waitFor();

    await page.goto(`${url}/signed-in?error=x&error_description=Call+this+number&state=another`);
    await alert.filter({ hasText: 'The authorization response is invalid' }).waitFor();
    const told = await alert.innerText();
    await page.goto(`${url}/signed-in?code=stolen&state=another`);
    await alert.filter({ hasText: 'No sign-in was started in this tab.' }).waitFor();

    expect(told).not.toContain('Call this number');
    expect(page.url()).toBe(`${url}/signed-in`);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect((await sandbox.calls()).filter(({ path }) => path.endsWith('/token'))).toEqual([]);
  },
);

browsing(
  `${inChromium}, a token whose lifetime is over is sent no more, although it would be accepted, until one signs in again`,
  async ({ visitOf, url }) => {
    const visit = await visitOf(url, 'ada', Date.now() + 2_000);
    const { user, result } = visit;

    await user.getByText('Session expired.').waitFor();
    await visit.send();
    await result.getByText('"UNAUTHENTICATED"').first().waitFor();
    await visit.signIn('ada');
    await visit.send();
    await result.getByText('"Harbour & Heath"').waitFor();

    await expect.poll(() => user.getByRole('status').innerText()).toBe('');
  },
);

browsing(
  `${inChromium}, a token that is refused is told by the control, until one signs in again`,
  async ({ visitAs, sandbox }) => {
    const visit = await visitAs('ada');
    const { user, result } = visit;
    await sandbox.send('POST', '/sandbox/tokens', { revoke: true });
    await visit.send();
    await user.getByText('Token refused.').waitFor();
    await result.getByText('"UNAUTHENTICATED"').first().waitFor();
    await user.getByRole('button', { name: 'Sign in again' }).waitFor();
    await visit.signIn('ada');
    expect(await user.getByText('Token refused.').count()).toBe(0);
  },
);
