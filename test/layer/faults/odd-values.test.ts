import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { createRandom, type Random } from '../../../sandbox/seeded.ts';
import { testBeforeStub } from '../../support/layer.ts';
import { asDeployed } from '../../support/proxies/disturbed.ts';

const test = testBeforeStub(() => ({}), asDeployed);

const idOf = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;

const rowOf = (number: number) => ({
  id: idOf(number),
  number: `N${number}`,
  displayName: `Customer ${number}`,
  type: 'Company',
  creditLimit: 12.5,
  blocked: ' ',
  taxLiable: false,
  lastModifiedDateTime: '2026-01-02T03:04:05Z',
});

const list = `{ company { customers(first: 9) { nodes {
  id number displayName type creditLimit blocked taxLiable lastModifiedDateTime
} } } }`;

/** What a field can hold that nobody expects, as JSON. */
const oddities = [
  '{}',
  '[]',
  '[{}]',
  '7',
  '-1e400',
  '1e400',
  '"\\ud800"',
  'true',
  '"never heard of"',
  '{"__proto__":{"a":1}}',
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
];

test.for(['displayName', 'creditLimit', 'taxLiable'])(
  'whatever one row holds for %s, all other rows are returned complete',
  async (name, { scene }) => {
    const plain = JSON.stringify({ value: [1, 2, 3].map(rowOf) });
    scene.answer = () => ({ body: plain });
    const { data: expected } = await scene.layer.query(list);
    const [first, second, third] = expected.company.customers.nodes;
    const was = JSON.stringify(rowOf(2));

    for (const oddity of oddities) {
      const odd = was.replace(new RegExp(`("${name}":)("[^"]*"|[\\w.]+)`), (_all, key) => key + oddity);
      expect(odd).not.toBe(was);
      scene.answer = () => ({ body: plain.replace(was, odd) });

      const { data, errors = [] } = await scene.layer.query(list);

      const { nodes } = data.company.customers;
      expect([nodes[0], nodes[2]], oddity).toEqual([first, third]);
      // Of the odd row, too, only the odd field can be missed, unless it is the one that is always there.
      if (nodes[1]) expect({ ...nodes[1], [name]: null }, oddity).toEqual({ ...second, [name]: null });
      for (const { path, extensions } of errors) {
        expect(path?.slice(0, 4), oddity).toEqual(['company', 'customers', 'nodes', 1]);
        expect(extensions.code, oddity).toBe('UPSTREAM_BAD_RESPONSE');
      }
    }
  },
);

test.for(['null', '[]', '{"number":"N2"}', '{"id":"no GUID"}'])(
  'a list with a row without a usable id (%s) is UPSTREAM_BAD_RESPONSE, never a short list',
  async (row, { scene }) => {
    scene.answer = () => ({ body: `{"value":[${JSON.stringify(rowOf(1))},${row}]}` });
    const before = scene.stub.requests.length;

    const { data, errors } = await scene.layer.query(list);

    expect(data.company.customers).toBeNull();
    expect(errors).toMatchObject([
      { path: ['company', 'customers'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } },
    ]);
    expect(scene.stub.requests.length - before).toBe(1);
  },
);

test('no response contains half of a surrogate pair, neither from an upstream nor from the caller', async ({
  scene,
}) => {
  const cut = JSON.stringify({ ...rowOf(1), displayName: 'A\ud83d' });
  const refused = JSON.stringify({ error: { code: 'BadRequest', message: 'No \ude00' } });
  const one = '{ company { customers(first: 1) { nodes { displayName } } } }';

  scene.answer = () => ({ body: `{"value":[${cut}]}` });
  const { data } = await scene.layer.query(one);
  scene.answer = () => ({ status: 400, body: refused });
  const { errors } = await scene.layer.query(one);
  const filtered =
    'query ($filter: CustomerFilter) { company { customers(filter: $filter) { totalCount } } }';
  const quoted = await scene.layer.query(filtered, { filter: { 'x\ud83d': 1 } });

  expect(data.company.customers.nodes).toEqual([{ displayName: 'A\ufffd' }]);
  expect(errors?.[0]?.extensions.upstreamError).toMatchObject({ message: 'No \ufffd' });
  expect(quoted.errors?.[0]?.message).toContain('"x\ufffd"');
});

interface Request {
  readonly id: string;
  readonly url: string;
}

/** What was asked for in a part, as its answer tells it. */
const marked = (url: string) => createHash('sha256').update(url).digest('hex').slice(0, 12);

/** Parts in any order: answered, refused, left out, answered twice, with another's id behind theirs. */
function shuffled(random: Random, requests: readonly Request[], seen: string[]): object[] {
  const answers = requests.flatMap(({ id, url }): object[] => {
    const good = { id, status: 200, body: { value: [{ ...rowOf(1), displayName: marked(url) }] } };
    seen.push(marked(url));
    const other = { ...good, body: { value: [{ ...rowOf(1), displayName: 'of nobody' }] } };
    switch (random.between(0, 9)) {
      case 0:
        return [{ id, status: random.pick([403, 404, 500, 504]), body: { error: { code: 'No' } } }];
      case 1:
        return [];
      case 2:
        return [good, good];
      case 3:
        return [good, { ...other, id: 'x' }, { ...other, id: '-1' }, { ...other, id: `${id}.0` }];
      case 4:
        return [{ id, status: 'OK', body: other.body }];
      default:
        return [good];
    }
  });
  return answers.sort(() => random.between(0, 1) - 0.5);
}

test('every part of a batch gets its own response or an error, whatever order and company the responses come in', async ({
  scene,
}) => {
  const names = 'abcdefgh'.split('');
  const query = `{ company { ${names.map((name, at) => `${name}: customers(first: 1, filter: { displayName: { eq: "n${at}" } }) { nodes { displayName } }`).join(' ')} } }`;
  let [told, failed] = [0, 0];

  for (let seed = 1; seed <= 30; seed += 1) {
    const random = createRandom(seed);
    const seen: string[] = [];
    const whose = new Map<string, string>();
    scene.answer = ({ body }) => {
      const { requests } = JSON.parse(body) as { requests: Request[] };
      for (const { url } of requests) whose.set(/n\d/.exec(decodeURIComponent(url))?.[0] ?? '', marked(url));
      return { body: { responses: shuffled(random, requests, seen) } };
    };

    const { data, errors = [] } = await scene.layer.query(query);

    for (const [at, name] of names.entries()) {
      const isError = errors.some(({ path }) => path?.[1] === name);
      if (isError) failed += 1;
      else told += 1;
      expect(data.company[name], `seed ${seed}, ${name}`).toEqual(
        isError ? null : { nodes: [{ displayName: whose.get(`n${at}`) }] },
      );
    }
  }

  expect(told).toBeGreaterThan(150);
  expect(failed).toBeGreaterThan(7);
});

test('errors use words of Tributary, whatever the body and the status of a response', async ({ scene }) => {
  const said = 'what-the-upstream-said';
  const bodies = [
    `<html><body>${said}</body></html>`,
    `{"value":[NaN,${said}]}`,
    JSON.stringify({ error: { code: 'Oops', message: 'No.', stack: `at ${said} (/srv/app.js:1:2)` } }),
    `{"error":[["${said}"]],"message":{"a":"${said}"}}`,
  ];
  for (const body of bodies) {
    for (const status of [200, 304, 400, 401, 501]) {
      scene.answer = () => ({ status, headers: { 'retry-after': 'never' }, ...(status !== 304 && { body }) });
      const { errors = [] } = await scene.layer.query(list, {}, { authorization: `Bearer caller-${status}` });

      for (const { message, extensions } of errors) {
        const { upstreamError: _theirs, code, ...own } = extensions;
        expect(own).toEqual({ upstream: 'business', requestId: expect.any(String) });
        expect(code).toMatch(/^(UPSTREAM_[A-Z_]+|UNAUTHENTICATED|FORBIDDEN)$/);
        expect(message).toMatch(/^[A-Z][A-Za-z0-9 ,.:;`'<>()_-]+\.$/);
        expect(message).not.toContain(said);
        expect(message).not.toMatch(/node:|undici|https?:|127\.0\.0\.1|in JSON|Error/);
      }
    }
  }
});
