import { test as base, expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import { type Contacts, watchContacts } from '../../support/contacts.ts';
import { fixture } from '../../support/fixture.ts';
import { type Answer, startTestLayer, type TestLayer } from '../../support/layer.ts';
import { type StubAnswer, type StubRequest, startStub } from '../../support/stub.ts';
import { startDecoy } from '../../support/upstreams/decoy.ts';

const { customerId: id } = sandboxExamples;
const record = { id, '@odata.etag': 'W/"1"', displayName: 'Kept' };
const tokens = {
  body: { access_token: 'granted-token-of-the-layer', token_type: 'bearer', expires_in: 3_600 },
};

/** An upstream that is well, but for the requests that it answers with a redirection. */
const upstream = {
  isRedirected: (_request: StubRequest): boolean => false,
  redirection: {} as StubAnswer,
};

function answer(request: StubRequest): StubAnswer {
  if (upstream.isRedirected(request)) return upstream.redirection;
  const { method, target } = request;
  if (target.startsWith('/token')) return tokens;
  if (method !== 'GET' || !target.includes('customers(')) return { body: { value: [] } };
  return target.includes(id)
    ? { body: record }
    : { status: 404, body: { error: { code: 'Internal_RecordNotFound', message: 'no' } } };
}

const test = base.extend(
  'scene',
  { scope: 'file' },
  fixture(async ({ onCleanup }) => {
    const contacts = watchContacts();
    const [decoy, stub] = await Promise.all([startDecoy(), startStub(answer)]);
    const granted = {
      BUSINESS_TOKEN_URL: `${stub.url}/token`,
      BUSINESS_CLIENT_ID: 'tributary',
      BUSINESS_CLIENT_SECRET: 'secret-of-the-layer',
    };
    const forwarding = await startTestLayer(stub.url);
    onCleanup(async () => {
      await forwarding.stop();
      stub.stop();
      await decoy.stop();
      contacts.stop();
    });
    return { contacts, decoy, stub, granted, forwarding };
  }),
);

const changed = `input: { id: "${id}", ifMatch: "W/\\"1\\"", patch: { city: "Oslo" } }`;
const badAnswer = ({ errors = [] }: Answer) => [...new Set(errors.map(({ extensions }) => extensions.code))];
const outcome = ({ data }: Answer) =>
  [Object.values(data)[0] as { results?: object[] }]
    .flatMap((payload) => payload.results ?? payload)
    .map((payload) => (payload as { userErrors: { code: string }[] }).userErrors[0]?.code);

/** A request, what of it is redirected, and what its caller is told. */
const requests: readonly (readonly [
  string,
  string,
  (request: StubRequest) => boolean,
  (answer: Answer) => unknown[],
])[] = [
  [
    'a record',
    `{ company { customer(id: "${id}") { city } } }`,
    ({ target }) => target.includes('customers('),
    badAnswer,
  ],
  [
    'a batch of reads',
    `{ company { ${[1, 2, 3, 4, 5].map((first) => `a${first}: customers(first: ${first}) { totalCount }`).join(' ')} } }`,
    ({ target }) => target.endsWith('$batch'),
    badAnswer,
  ],
  [
    'a creation',
    'mutation { createCustomer(input: { displayName: "New" }) { userErrors { code } } }',
    ({ method }) => method === 'POST',
    outcome,
  ],
  [
    'a change',
    `mutation { updateCustomer(${changed}) { userErrors { code } } }`,
    ({ method }) => method === 'PATCH',
    outcome,
  ],
  ['a health event', '{ healthEvent(trackingId: "SI_1") { title } }', () => true, badAnswer],
];

/** Whom this process has met and should not have; the servers of all tests of this file are on this machine. */
const strangersOf = (contacts: Contacts, decoyHost: string) =>
  [...contacts.hosts()].filter((host) => host === decoyHost || !host.startsWith('127.0.0.1:'));

const statuses = [301, 302, 303, 307, 308] as const;
const targets = [
  ['another host', (theirs: string) => `http://${theirs}/api/v2.0/elsewhere`],
  ['https', (theirs: string) => `https://${theirs}/api/v2.0/elsewhere`],
  ['a file', () => 'file:///etc/passwd'],
  ['what hosts tell their guests', () => 'http://169.254.169.254/latest/meta-data/elsewhere'],
  ['elsewhere on the same host', () => `/api/v2.0/companies(${sandboxCompanyId})/elsewhere`],
] as const;
const [elsewhere] = targets;
/** Each status and each target once. */
const cases = [
  ...statuses.map((status) => [status, ...elsewhere] as const),
  ...targets.slice(1).map((target) => [307, ...target] as const),
];

test.for(cases)(
  'a redirect with %i to %s is not followed by reads, writes, batches or reads of events',
  async ([status, , write], { scene: { contacts, decoy, stub, forwarding } }) => {
    upstream.redirection = { status, headers: { location: write(decoy.host) } };
    for (const [what, query, isRedirected, told] of requests) {
      upstream.isRedirected = isRedirected;
      const expected = query.startsWith('mutation') ? 'OUTCOME_UNKNOWN' : 'UPSTREAM_BAD_RESPONSE';
      expect(told(await forwarding.query(query)), what).toEqual([expected]);
    }

    expect(stub.requests.filter(({ target }) => target.includes('elsewhere'))).toEqual([]);
    expect(decoy.connections()).toBe(0);
    const ours = [stub.url, forwarding.url].map((url) => new URL(url).host);
    expect([...contacts.hosts()]).toEqual(expect.arrayContaining(ours));
    expect(strangersOf(contacts, decoy.host)).toEqual([]);
  },
);

const customers = '{ company { customers { totalCount } } }';
const askThrice = async (layer: TestLayer) => {
  const answers = [await layer.query(customers), await layer.query(customers), await layer.query(customers)];
  await layer.stop();
  return new Set(answers.flatMap(badAnswer));
};

test.for(cases)(
  'a redirect with %i to %s is not followed by the token client, and no secret is sent',
  async ([status, , write], { scene: { contacts, decoy, stub, granted } }) => {
    upstream.redirection = { status, headers: { location: write(decoy.host) } };
    upstream.isRedirected = ({ target }) => target.startsWith('/token');
    const before = stub.requests.length;
    for (const BUSINESS_AUTH of ['client-credentials', 'on-behalf-of']) {
      const layer = await startTestLayer(stub.url, { ...granted, BUSINESS_AUTH });
      expect(await askThrice(layer)).toEqual(new Set(['UPSTREAM_UNAVAILABLE']));
    }

    // A failure stands for a second: nobody else asks meanwhile.
    const asked = stub.requests.slice(before);
    expect(asked.map(({ target }) => target)).toEqual(['/token', '/token']);
    expect(decoy.connections()).toBe(0);
    expect(strangersOf(contacts, decoy.host)).toEqual([]);
  },
);
