import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';
import { addressOf, instances, localPart, version } from './operations-caller.ts';
import { codeOf, exchange, tokenOf, verified } from './sign-in-caller.ts';

const sandbox = useSandbox();

const read = async (token: string) => (await sandbox.get(`${company}/items?$top=1`, { token })).status;

describe('the signed-in user', () => {
  const stop = `${instances}/quick/stop?${version}`;
  const sensitive = '/providers/Vendor.Health/events/SA_5-XYZ/fetchEventDetails?api-version=2025-05-01';
  const plain = sensitive.replace('SA_5-XYZ', 'SI_1-QRT');
  const statusesOf = async (token: string) => {
    const created = await sandbox.post(`${company}/customers`, { displayName: 'New' }, { token });
    const managed = [stop, sensitive, plain].map((path) => sandbox.post(path, undefined, { token }));
    return [await read(token), created.status, ...(await Promise.all(managed)).map(({ status }) => status)];
  };

  test.each([
    ['ada', [200, 201, 200, 200, 200]],
    ['grace@example.com', [200, 201, 200, 200, 200]],
    ['reader', [200, 403, 403, 403, 200]],
    ['limited', [200, 201, 200, 403, 200]],
    ['guest', [200, 201, 403, 403, 403]],
    ['denied', [403, 403, 403, 403, 403]],
    ['expired', [401, 401, 401, 401, 401]],
  ])('S.signin.16 "%s" may read, write, stop and fetch with the statuses %j', async (name, statuses) => {
    expect(await statusesOf(await tokenOf(sandbox, name))).toEqual(statuses);
  });

  test('S.signin.17 Without user_impersonation areas B and C refuse in their own formats, and the token response lists the granted scope', async () => {
    const { body } = await exchange(
      sandbox,
      await codeOf(sandbox, 'guest', { scope: 'user_impersonation records.write' }),
    );
    const { access_token: token } = body;

    expect(body.scope).toBe('records.write');
    expect(await verified(sandbox, token)).toMatchObject({ sub: 'guest', scp: 'records.write' });
    expect((await sandbox.post(stop, undefined, { token })).body.error.code).toBe('AuthorizationFailed');
    expect((await sandbox.post(plain, undefined, { token })).body.code).toBe('AuthorizationFailed');
    expect(await statusesOf('guest')).toEqual([200, 201, 200, 200, 200]);
  });

  test('S.signin.18 All tokens of a user are one caller, and those of another user are a different one', async () => {
    const [one, two, grace] = await Promise.all(
      ['ada', 'ada', 'grace'].map((name) => tokenOf(sandbox, name)),
    );
    const path = stop.replace('/quick/', '/app01/');
    const started = await sandbox.post(path, undefined, { token: one ?? '' });
    const address = localPart(addressOf(started));
    const statusOf = async (token = '') => (await sandbox.get(address, { token })).status;

    expect(started.status).toBe(202);
    expect(await Promise.all([statusOf(one), statusOf(two), statusOf('ada'), statusOf(grace)])).toEqual([
      200, 200, 200, 403,
    ]);
  });
});
