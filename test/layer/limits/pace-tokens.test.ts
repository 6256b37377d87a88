import { expect, onTestFinished, test } from 'vitest';
import { startIssuerForTest } from '../../support/issuer.ts';
import { startLayerForTest, type TestLayer } from '../../support/layer.ts';
import { type StubAnswer, type StubRequest, startStub } from '../../support/stub.ts';

type Settings = Readonly<Record<string, string>>;

const waitSeconds = 1;
const throttled = { status: 429, headers: { 'retry-after': String(waitSeconds) }, body: {} };

/** An upstream that answers calls as a test says, and tells when they came. It gives tokens, too. */
async function startUpstream(answer: (call: StubRequest, calls: number) => StubAnswer | Promise<StubAnswer>) {
  const at: number[] = [];
  let granted = 0;
  const stub = await startStub((request) => {
    if (request.target === '/token') {
      granted += 1;
      return { body: { access_token: `granted-${granted}`, token_type: 'Bearer', expires_in: 3_600 } };
    }
    at.push(performance.now());
    return answer(request, at.length);
  });
  onTestFinished(() => stub.stop());
  return { url: stub.url, at };
}

async function startVerified(url: string, settings: Settings = {}) {
  const issuer = await startIssuerForTest();
  const layer = await startLayerForTest(url, { ...issuer.settings, ...settings });
  return { layer, tokenOf: issuer.token };
}

const ask = (layer: TestLayer, token: string, first = 1, headers: Settings = {}) =>
  layer.query(
    `{ company { customers(first: ${first}) { nodes { id } } } }`,
    {},
    { authorization: `Bearer ${token}`, ...headers },
  );
const codesOf = ({ errors = [] }: Awaited<ReturnType<typeof ask>>) =>
  errors.map(({ extensions }) => extensions.code);

const ways: readonly [string, (url: string) => Settings][] = [
  ['sent upstream', () => ({})],
  [
    'exchanged on their behalf',
    (url) => ({
      BUSINESS_AUTH: 'on-behalf-of',
      BUSINESS_TOKEN_URL: `${url}/token`,
      BUSINESS_CLIENT_ID: 'tributary',
      BUSINESS_CLIENT_SECRET: 'a-secret-of-the-tests',
    }),
  ],
];

test.for(ways)(
  'a throttled caller waits with its next token, too, where tokens are verified and %s; other callers do not',
  async ([, settings]) => {
    const { url, at } = await startUpstream((_call, calls) =>
      calls === 1 ? throttled : { body: { value: [] } },
    );
    const { layer, tokenOf } = await startVerified(url, settings(url));
    const refused = await ask(layer, await tokenOf('ann'));
    const [throttledAt = 0] = at;

    const hasty = await ask(layer, await tokenOf('ann'), 2, { 'x-request-timeout': '300' });
    const another = await ask(layer, await tokenOf('ben'));
    const callsMeanwhile = at.length;
    const patient = await ask(layer, await tokenOf('ann'), 3);

    expect([refused, hasty, another, patient].map(codesOf)).toEqual([
      ['UPSTREAM_THROTTLED'],
      ['UPSTREAM_THROTTLED'],
      [],
      [],
    ]);
    expect(callsMeanwhile).toBe(2);
    expect((at[2] ?? 0) - throttledAt).toBeGreaterThanOrEqual(waitSeconds * 1_000);
  },
);

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
/** A token that names somebody, and is signed by nobody. */
const forged = (number: number) =>
  [
    encoded({ alg: 'ES256', kid: 'first' }),
    encoded({ iss: 'https://issuer.example', sub: 'ann', oid: 'ann', azp: 'app', jti: String(number) }),
    'c2lnbmF0dXJl',
  ].join('.');

test('where tokens are not verified, a token that names another user does not delay that user', async () => {
  const { url } = await startUpstream((_call, calls) =>
    calls === 1 ? { ...throttled, headers: { 'retry-after': '40' } } : { body: { value: [] } },
  );
  const layer = await startLayerForTest(url);

  const answers = [await ask(layer, forged(1)), await ask(layer, forged(2))];

  expect(answers.map(codesOf)).toEqual([['UPSTREAM_THROTTLED'], []]);
});

test('an unverified token for areas B and C alone is counted by itself', async () => {
  const bearers: unknown[] = [];
  const { url } = await startUpstream(({ headers }) =>
    bearers.push(headers.authorization) === 1
      ? throttled
      : { status: 404, body: { error: { code: 'ResourceNotFound', message: 'No.' } } },
  );
  const { layer, tokenOf } = await startVerified(url, {
    MANAGEMENT_TOKEN_HEADER: 'x-management-token',
    MANAGEMENT_SCOPES: '',
  });
  const gateway = { authorization: `Bearer ${await tokenOf('a gateway')}`, 'x-request-timeout': '500' };
  const askAs = (bearer: string) =>
    layer.query(
      '{ healthEvent(trackingId: "SI_1-QRT") { title } }',
      {},
      { ...gateway, 'x-management-token': bearer },
    );
  const [one, other] = ['Bearer management-token-of-one-user', 'Bearer management-token-of-another'];

  await askAs(one);
  const same = await askAs(one);
  const another = await askAs(other);

  expect([same, another].map(codesOf)).toEqual([['UPSTREAM_THROTTLED'], []]);
  expect(bearers.filter((bearer) => bearer === one)).toHaveLength(1);
});
