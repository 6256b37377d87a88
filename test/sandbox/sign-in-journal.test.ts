import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { useSandbox } from './caller.ts';
import { authorize, codeOf, exchange, usualQuestion, verifier } from './sign-in-caller.ts';

const sandbox = useSandbox();

describe('the journal', () => {
  test('S.signin.13 A sign-in is recorded without state, challenge, cookies or referrer; faults apply to it', async () => {
    const secret = 'a-secret-of-the-page';
    const query = new URLSearchParams({ ...usualQuestion, state: secret, login_hint: 'ada', code: secret });
    await fetch(`${sandbox.url}/common/oauth2/authorize?${query}`, {
      redirect: 'manual',
      headers: { cookie: secret, referer: `http://localhost:4000/?code=${secret}` },
    });
    await sandbox.post('/sandbox/faults', { path: 'authorize', status: 503 });
    expect((await authorize(sandbox, { state: secret })).status).toBe(503);
    const { requests } = (await sandbox.get('/sandbox/journal')).body;

    expect(requests.map(({ status }: Json) => status)).toEqual([302, 503]);
    expect(requests[0].path).toBe(
      '/common/oauth2/authorize?response_type=code&client_id=explorer&scope=user_impersonation&code_challenge_method=S256&login_hint=ada',
    );
    expect(JSON.stringify(requests)).not.toContain(secret);
    expect(JSON.stringify(requests)).not.toContain(usualQuestion.code_challenge);
  });

  test('S.signin.14 A sign-in that redirects to the sandbox itself leaves no code in the journal', async () => {
    const asked = { redirect_uri: `${sandbox.url}/here?b=1`, login_hint: 'ada' };
    await fetch((await authorize(sandbox, asked)).location ?? '');
    const { requests } = (await sandbox.get('/sandbox/journal')).body;
    const followed = requests
      .map(({ path }: Json) => path)
      .filter((path: string) => path.startsWith('/here'));

    expect(followed[0]).toMatch(/^\/here\?b=1&code=…&state=/);
  });

  test('S.signin.15 A token exchange is recorded without code, verifier, secret, assertion or token', async () => {
    const code = await codeOf(sandbox, 'ada');
    const { access_token: token } = (await exchange(sandbox, code)).body;
    await exchange(sandbox, code, { client_secret: 'sandbox-secret', assertion: token });
    await sandbox.send('POST', `/common/oauth2/token?code=${code}&client_secret=sandbox-secret`);
    const { requests } = (await sandbox.get('/sandbox/journal')).body;
    const exchanges = requests.filter(({ path }: Json) => path === '/common/oauth2/token');

    expect(exchanges.map(({ status }: Json) => status)).toEqual([200, 401, 400]);
    expect(exchanges[0].body).toBe('grant_type=authorization_code&client_id=explorer');
    for (const secret of [code, verifier, token, 'sandbox-secret']) {
      expect(JSON.stringify(requests)).not.toContain(secret);
    }
  });
});
