import { expect } from 'vitest';
import { testBeforeStub } from '../../support/layer.ts';
import { app01 } from '../../support/operations.ts';
import type { StubRequest } from '../../support/stub.ts';

const id = '00000000-0000-4000-8000-000000000001';
const bearerOf = ({ headers }: StubRequest) => String(headers.authorization).slice('Bearer '.length);

let cachingHeaders: Readonly<Record<string, string>> = {};

/** A layer before an upstream whose every text is the name of who asks, with headers that a cache would like. */
const test = testBeforeStub(
  (request) => {
    const { target, body } = request;
    const name = `for ${nameOf(bearerOf(request))}`;
    const record = { id, city: name, displayName: name, lastModifiedDateTime: '2026-01-01T00:00:00Z' };
    const headers = { etag: '"the same"', ...cachingHeaders };
    if (target.includes('/stop?'))
      return { status: 202, headers: { 'vendor-asyncoperation': '/operations/1', ...headers } };
    if (target.includes('/operations/')) return { headers, body: { status: 'Running', name } };
    if (target.includes('/applicationInstances/'))
      return { headers, body: { name, properties: { status: name } } };
    if (target.endsWith('$batch')) {
      const { requests } = JSON.parse(body) as { requests: { id: string }[] };
      const responses = requests.map((part) => ({
        id: part.id,
        status: 200,
        headers,
        body: { value: [record] },
      }));
      return { headers, body: { responses } };
    }
    if (target.includes('/events/')) return { headers, body: { name: 'SI_1', properties: { title: name } } };
    return {
      headers,
      body: { ...record, value: [{ ...record, name: 'SI_1', properties: { title: name } }] },
    };
  },
  { POLL_HEALTH_MS: '50', POLL_RECORDS_MS: '50' },
);

// A token may not turn up in an answer, so that the upstream writes who it belongs to.
const tokens = {
  ada: 'the-first-token-of-ada',
  renewed: 'another-token-of-ada',
  grace: 'the-token-of-grace',
};
type Name = keyof typeof tokens;
const names = Object.keys(tokens) as Name[];
const nameOf = (token: string) => names.find((name) => tokens[name] === token) ?? 'nobody';
const as = (name: Name) => ({ authorization: `Bearer ${tokens[name]}` });

/** Every road by which something is read, and how often the upstream is asked on it. */
const roads: readonly (readonly [string, string, number])[] = [
  ['a record', `{ company { customer(id: "${id}") { city } } }`, 1],
  ['a list', '{ company { customers { nodes { city } } } }', 1],
  [
    'a batch',
    `{ company { ${[1, 2, 3, 4, 5].map((n) => `a${n}: customers(first: ${n}) { nodes { city } }`).join(' ')} } }`,
    1,
  ],
  [
    'an entity',
    `{ _entities(representations: [{ __typename: "Customer", companyId: "${id}", id: "${id}" }]) { ... on Customer { city } } }`,
    1,
  ],
  ['an instance', `{ applicationInstance(${app01}) { status } }`, 1],
  ['an event', '{ healthEvent(trackingId: "SI_1") { title } }', 1],
  ['a list of events', '{ healthEvents(since: "2000-01-01T00:00:00Z") { nodes { title } } }', 1],
];

const kinds: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'cache-control': 'public, s-maxage=600, immutable', vary: 'accept', age: '1' },
  { 'cache-control': 'max-age=600, stale-while-revalidate=600', vary: 'authorization' },
];

/** What an answer holds of the texts that say for whom they are. */
const readers = (data: unknown) => new Set(JSON.stringify(data).match(/(?<=for )\w+/g));

test.for(kinds)(
  'whatever caching headers an upstream sends (%j), no caller gets a response that was read for another',
  async (headers, { scene }) => {
    const { stub, layer } = scene;
    cachingHeaders = headers;
    for (const [what, query, calls] of roads) {
      const before = stub.requests.length;
      const oneByOne = [...names, ...names];
      for (const name of oneByOne)
        expect(readers(await layer.query(query, {}, as(name))), what).toEqual(new Set([name]));
      expect(stub.requests.length - before, what).toBe(oneByOne.length * calls);

      const atOnce = await Promise.all(names.map((name) => layer.query(query, {}, as(name))));
      expect(atOnce.map(readers), what).toEqual(names.map((name) => new Set([name])));
      expect(stub.requests.length - before, what).toBe((oneByOne.length + names.length) * calls);
    }
  },
);

test('a document that a hundred requests share gives each its own caller and variables, however they interleave', async ({
  scene,
}) => {
  const query = `query ($first: Int!, $city: String!) {
    company { customers(first: $first, filter: { city: { eq: $city } }) { nodes { city } } }
  }`;
  const asked = Array.from({ length: 100 }, (_, index) => ({
    name: names[index % 3] as Name,
    city: `City ${index % 7}`,
    first: (index % 5) + 1,
  }));
  const before = scene.stub.requests.length;
  const answers = await Promise.all(
    asked.map(({ name, ...variables }) => scene.layer.query(query, variables, as(name))),
  );

  expect(answers.map(readers)).toEqual(asked.map(({ name }) => new Set([name])));
  const sent = scene.stub.requests
    .slice(before)
    .map(
      (request) =>
        `${nameOf(bearerOf(request))} ${/City%20\d/.exec(request.target)} ${/\d+/.exec(String(request.headers.prefer))}`,
    );
  const wanted = asked.map(({ name, city, first }) => `${name} ${encodeURIComponent(city)} ${first}`);
  expect(new Set(sent)).toEqual(new Set(wanted));
});
