import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { stoppingInstance, test, tokenIn } from './signing-in.ts';

const browsing = test.skipIf(!hasChromium);

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
  `${inChromium}, what goes wrong is told in words, with a way back`,
  async ({ consoleVisit, sandbox, url }) => {
    const { page, control, begin } = consoleVisit;
    const title = page.getByRole('heading', { name: 'Sign-in failed' });
    const alert = page.getByRole('alert');

    await begin();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await title.waitFor();
    await alert.filter({ hasText: 'returned access_denied.' }).waitFor();
    await page.getByRole('link', { name: 'Back' }).click();
    await begin();
    await page.getByRole('link', { name: 'ada', exact: true }).waitFor();
    const state = new URL(page.url()).searchParams.get('state');
    await page.goto(`${url}/signed-in?code=false&state=${state}`);
    await alert.filter({ hasText: 'returned invalid_grant.' }).waitFor();
    await page.getByRole('link', { name: 'Back' }).click();
    await page.context().route('**/common/oauth2/token', (route) => route.abort());
    await begin();
    await page.getByRole('link', { name: 'ada', exact: true }).click();
    await alert.filter({ hasText: `The token request failed. ${sandbox.url} must be reachable` }).waitFor();
    await page.getByRole('link', { name: 'Back' }).click();
    await control.getByRole('button', { name: 'Sign in' }).waitFor();

    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  },
);

browsing(
  `${inChromium}, claims that the upstream asks for are asked of the authorization server at the next sign-in`,
  async ({ consoleVisit, sandbox }) => {
    const { page, control, begin } = consoleVisit;
    const json = '{"access_token":{"acrs":{"essential":true,"value":"c1"}}}';
    const challenge = `Bearer error="insufficient_claims", claims="${Buffer.from(json).toString('base64')}"`;
    await sandbox.fault({
      path: '/events',
      status: 401,
      times: 50,
      headers: { 'www-authenticate': challenge },
      body: {},
    });
    const ada = page.getByRole('link', { name: 'ada', exact: true });
    const claimsOf = () => new URL(page.url()).searchParams.get('claims');

    await begin();
    await ada.waitFor();
    const first = claimsOf();
    await ada.click();
    await control.getByRole('button', { name: 'Sign in again' }).waitFor();
    await begin();
    await ada.waitFor();

    expect([first, claimsOf()]).toEqual([null, json]);
  },
);

browsing(
  `${inChromium}, after the token's lifetime the control says so, and the tab holds it no more`,
  async ({ consoleVisit, sandbox }) => {
    const { page, control, begin } = consoleVisit;
    await sandbox.send('POST', '/sandbox/tokens', { lifetimeMs: 2_000 });
    await begin();
    await page.getByRole('link', { name: 'ada', exact: true }).click();
    await control.getByText('Session expired.').waitFor();

    await control.getByRole('button', { name: 'Sign in again' }).waitFor();
    expect(await page.evaluate('sessionStorage.getItem("tributary.session")')).toBe('"ended"');
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
  `${inChromium}, a token that is refused is told by the control, for a query and for a subscription`,
  async ({ visitAs, sandbox, url }) => {
    const visit = await visitAs('ada');
    const { page, user, result } = visit;
    const refused = user.getByText('Token refused.');
    const id = await stoppingInstance(url, await tokenIn(page));

    await sandbox.send('POST', '/sandbox/tokens', { revoke: true });
    await visit.send();
    await refused.waitFor();
    await result.getByText('"UNAUTHENTICATED"').first().waitFor();
    await visit.signIn('ada');
    await visit.write('subscription Watch($id: ID!) { operationProgress(id: $id) { state } }');
    await visit.fillVariables({ id });
    await sandbox.send('POST', '/sandbox/tokens', { revoke: true });
    await visit.send();
    await refused.waitFor();

    await user.getByRole('button', { name: 'Sign in again' }).waitFor();
    expect(await refused.count()).toBe(1);
  },
);

browsing(
  `${inChromium}, a token that the layer itself does not take is told by the control, over HTTP and over WebSocket`,
  async ({ start, visitOf, sandbox, onTestFinished }) => {
    const verifying = await start({
      JWT_ISSUER: `${sandbox.url}/common`,
      JWT_AUDIENCE: 'api://another',
      JWT_JWKS_URL: `${sandbox.url}/common/discovery/keys`,
    });
    onTestFinished(() => verifying.stop());
    const visit = await visitOf(verifying.url, 'ada');
    const { page, user } = visit;
    const refused = user.getByText('Token refused.');

    await refused.waitFor();
    await page.context().route('**/graphql', (route) => route.abort());
    await visit.signIn('ada');
    await visit.write('subscription { healthEventsChanged { __typename } }');
    await visit.send();
    await refused.waitFor();

    await user.getByRole('button', { name: 'Sign in again' }).waitFor();
    expect(await refused.count()).toBe(1);
  },
);
