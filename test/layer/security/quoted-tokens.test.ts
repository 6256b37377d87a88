import { expect, onTestFinished, test } from 'vitest';
import { startIssuerForTest } from '../../support/issuer.ts';
import { startLayerForTest, startTestLayer, testToken } from '../../support/layer.ts';
import { actionInput, place, stop } from '../../support/operations.ts';
import { startStub } from '../../support/stub.ts';

const id = '00000000-0000-4000-8000-000000000001';
const token = 'a7Kq~2Xw_9rTbL.4mZc-H8vNdE3sYpG6uJfQ1oRi5tWx0aBkCl';
const clientSecret = 'S3cr3t-9xLmP4qR7vTz2bN8kW5hY1dF6g';
const jwt = 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJlLW9mLWEtdG9rZW4';

const forms: Readonly<Record<string, (secret: string) => string>> = {
  'behind a text that is longer than what is shown': (secret) => `${'x'.repeat(1_000)}${secret}`,
  'beside another': (secret) => `${jwt} ${secret} Bearer s0me7hing`,
};

/** An upstream that refuses everything, and quotes what it was sent wherever an error has room for it. */
async function startParrot(quote: (secret: string) => string) {
  const errorOf = (authorization: unknown) => {
    const said = `It is ${quote(String(authorization).slice('Bearer '.length))} that I do not know.`;
    const info = { [said]: { [said]: said }, list: [said] };
    const inner = { code: said, message: said, target: said, additionalInfo: [{ type: said, info }] };
    return { error: { ...inner, details: [inner] } };
  };
  const stub = await startStub(({ target, headers, body }) => {
    const refused = errorOf(headers.authorization);
    if (target === '/token')
      return { body: { access_token: token, token_type: 'Bearer', expires_in: 3_600 } };
    if (target.includes('$batch')) {
      const { requests } = JSON.parse(body) as { requests: readonly { id: string }[] };
      return { body: { responses: requests.map((part) => ({ id: part.id, status: 409, body: refused })) } };
    }
    if (target.includes('app02'))
      return { body: { name: 'app02', properties: { errors: { properties: refused.error } } } };
    return { status: 400, body: refused };
  });
  onTestFinished(() => stub.stop());
  return stub;
}

const names = Object.entries(place).map(([field, value]) => `${field}: "${value}"`);
const instance = (name: string) =>
  `applicationInstance(applicationInstanceName: "${name}" ${names.join(' ')}) {
    name error { ...E details { ...E } }
  } } fragment E on ErrorDetail { code message target additionalInfo { type info } }`;
const detail = 'code message target details { code message } additionalInfo { type info }';
const lists = ['customers', 'items', 'employees', 'salesQuotes', 'currencies'];
const asked: Readonly<Record<string, readonly [string, object?]>> = {
  'a read': ['{ company { customers(first: 1) { nodes { id } } } }'],
  'a batch of reads': [
    `{ company { ${lists.map((list) => `${list}(first: 1) { nodes { id } }`).join(' ')} } }`,
  ],
  'a change': [
    `mutation { updateCustomer(input: { id: "${id}", ifMatch: "*", patch: { displayName: "x" } }) { userErrors { code upstream { ${detail} } } } }`,
  ],
  'an instance that fails': [`{ ${instance('app02')}`],
  'an instance that is refused': [`{ ${instance('app01')}`],
  'a stop': [stop, { input: actionInput({ ...place, applicationInstanceName: 'app01' }) }],
  'a health event': ['{ healthEvent(trackingId: "SI_1") { title } }'],
};

test.for(Object.entries(forms))(
  'a token that an upstream quotes %s is in no response and no log line',
  async ([form, quote]) => {
    const stub = await startParrot(quote);
    const layer = await startLayerForTest(stub.url, { LOG_LEVEL: 'debug' });

    const headers = { authorization: `Bearer ${token}`, 'tributary-explain': '1' };
    for (const [what, [query, variables = {}]] of Object.entries(asked)) {
      const told = JSON.stringify(await layer.query(query, { ...variables }, headers));
      expect(told, what).toContain('It is ');
      expect(told, what).toContain('[token]');
      expect(told, what).not.toContain(token.slice(0, 12));
      if (form === 'beside another') expect(told, what).not.toMatch(/eyJ|s0me7hing/);
    }
    expect(JSON.stringify(layer.lines())).not.toContain(token.slice(0, 12));
  },
);

test('neither a granted token nor its client secret is in any of them', async () => {
  const issuer = await startIssuerForTest();
  const stub = await startParrot((granted) => `${granted} for ${clientSecret}`);
  const areas = ['BUSINESS', 'MANAGEMENT'].flatMap((area) => [
    [`${area}_AUTH`, 'client-credentials'],
    [`${area}_TOKEN_URL`, `${stub.url}/token`],
    [`${area}_CLIENT_ID`, 'tributary'],
    [`${area}_CLIENT_SECRET`, clientSecret],
  ]);
  const layer = await startLayerForTest(stub.url, { ...issuer.settings, ...Object.fromEntries(areas) });
  const authorization = `Bearer ${await issuer.token('ann')}`;

  for (const [query, variables = {}] of Object.values(asked)) {
    const told = JSON.stringify(await layer.query(query, { ...variables }, { authorization }));
    expect(told).toContain('that I do not know');
    expect(told).not.toContain(token);
    expect(told).not.toContain(clientSecret);
  }
});

test('in business data, names and tags included, a token is redacted in its exact form, and nothing else is', async () => {
  const data = `${jwt} Bearer word ${testToken.toUpperCase()}`;
  const stub = await startStub(({ headers }) => {
    const sent = String(headers.authorization).slice('Bearer '.length);
    return {
      headers: { etag: `W/"${sent}"` },
      body: { id, displayName: `${sent} ${data}`, name: 'SI_1', properties: { title: `${sent} ${data}` } },
    };
  });
  const layer = await startTestLayer(stub.url);
  onTestFinished(async () => {
    await layer.stop().catch(() => {});
    stub.stop();
  });
  const answer = await layer.query(
    `{ company { customer(id: "${id}") { displayName etag } } healthEvent(trackingId: "SI_1") { title } }`,
    {},
    { authorization: `Bearer ${token}` },
  );

  expect(answer.data).toEqual({
    company: { customer: { displayName: `[token] ${data}`, etag: 'W/"[token]"' } },
    healthEvent: { title: `[token] ${data}` },
  });
});
