import fc from 'fast-check';
import type { GraphQLObjectType } from 'graphql';
import { expect } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { everyField } from '../../support/cases/every-field.ts';
import { type Event, type TestLayer, testWith } from '../../support/layer.ts';

// The resources of a thousand events are more than one operation may usually ask for.
const test = testWith({}, { MAX_COST: '10000000' });

const everything = everyField(createSchema().getType('HealthEvent') as GraphQLObjectType);
const since = 'since: "2000-01-01T00:00:00Z", first: 1000';
const held = `nodeId id name trackingId title eventType eventTypeRaw eventSource eventSourceRaw eventLevel eventLevelRaw
  level levelRaw status statusRaw isHIR platformInitiated priority lastUpdateTime
  impact { impactedService impactedRegions { impactedRegion impactedSubscriptions impactedTenants status } }`;

type Node = Readonly<Record<string, unknown>> & { readonly trackingId: string };

const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

/** The sensitive events, and every text of theirs that stands in nothing that anybody may list. */
async function secretsOf(layer: TestLayer) {
  const sensitive = 'filter: { isEventSensitive: { eq: true } }';
  const full = await layer.query(`{ healthEvents(${since}, ${sensitive}) { nodes ${everything} } }`);
  const others = 'filter: { or: [{ isEventSensitive: { eq: false } }, { isEventSensitive: { eq: null } }] }';
  const plain = await layer.query(
    `{ a: healthEvents(${since}) { nodes { ${held} } } b: healthEvents(${since}, ${others}) { nodes ${everything} } }`,
  );
  expect([full.errors, plain.errors]).toEqual([undefined, undefined]);
  const open = JSON.stringify(plain.data);
  const nodes: readonly Node[] = full.data.healthEvents.nodes;
  // Shorter ones are words of the schema and codes of languages.
  const secrets = [...new Set(nodes.flatMap(textsIn))].filter(
    (text) => text.length > 7 && !open.includes(text),
  );
  expect(nodes.length).toBeGreaterThanOrEqual(5);
  expect(secrets.length).toBeGreaterThanOrEqual(20);
  return { ids: nodes.map(({ trackingId }) => trackingId), secrets };
}

const fragments = `fragment All on HealthEvent ${everything}`;
/** Every road to an event, for who may not see it. */
const roads = [
  `query ($id: String!) { healthEvent(trackingId: $id) ${everything} }`,
  `query ($id: String!) {
    a: healthEvent(trackingId: $id) { ...All x: summary ... on HealthEvent { y: description } }
    b: healthEvent(trackingId: $id) { ... @include(if: true) { ...All } }
  } ${fragments}`,
  `{ healthEvents(${since}) { totalCount nodes ${everything} } }`,
  `{ healthEvents(${since}) { edges { cursor node ${everything} } pageInfo { endCursor } } }`,
  `{
    a: healthEvents(${since}, orderBy: [PRIORITY_ASC]) { nodes { ...All } }
    b: healthEvents(${since}, filter: { isEventSensitive: { eq: true } }) { edges { node { ...All } } nodes { s: summary } }
  } ${fragments}`,
];
const entities = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) { ... on HealthEvent { ...All } }
} ${fragments}`;
const watched = `subscription ($id: String!) { healthEventChanged(trackingId: $id) { ...All } } ${fragments}`;

const callers = ['limited-token-1', 'reader-token-1'] as const;

test('a caller that may not fetch them gets nothing that sensitive events hold, by whatever query', async ({
  layer,
  sandbox,
}) => {
  const [token] = callers;
  const { ids, secrets } = await secretsOf(layer);
  const headers = { authorization: `Bearer ${token}`, 'tributary-explain': '1' };
  const told: string[] = [];
  const ask = async (query: string, variables = {}) => {
    // Somebody who may see them asks the same at the same time.
    const [answer] = await Promise.all([
      layer.query(query, variables, headers),
      layer.query(query, variables),
    ]);
    told.push(JSON.stringify(answer));
    return answer;
  };
  for (const id of ids) {
    for (const query of roads) if (query.includes('$id')) await ask(query, { id });
    const representations = [{ __typename: 'HealthEvent', scope: 'tenant', trackingId: id }];
    const { data, errors } = await ask(entities, { representations });
    expect(data._entities).toMatchObject([{ trackingId: id, isEventSensitive: true, summary: null }]);
    areForbidden(errors);
  }
  for (const query of roads) if (!query.includes('$id')) await ask(query);
  for (const id of ids.slice(0, 1))
    for (const way of ['watch', 'watchEvents'] as const) {
      const full = layer[way](watched, { id })[Symbol.asyncIterator]();
      await full.next();
      const events = layer[way](watched, { id }, token)[Symbol.asyncIterator]();
      const { value } = await events.next();
      told.push(JSON.stringify(value));
      areForbidden(value.errors);
      await sandbox.send('POST', '/sandbox/events', {
        trackingId: id,
        properties: { summary: 'Nobody may read this' },
      });
      await Promise.all([full.return?.(), events.return?.()]);
    }

  expect(told.length).toBeGreaterThan(ids.length * 3 - 1);
  const all = [...told, ...told.flatMap(cursorsIn)].join('\n');
  const found = [...secrets, 'Nobody may read this'].filter((secret) =>
    all.includes(JSON.stringify(secret).slice(1, -1)),
  );
  expect(found).toEqual([]);
});

function areForbidden(errors: Event['errors'] = []) {
  expect(errors.length).toBeGreaterThan(0);
  for (const { extensions } of errors) expect(extensions.code).toBe('FORBIDDEN');
}

/** What cursors hold, in plain text. */
const cursorsIn = (text: string): string[] =>
  [...text.matchAll(/"(?:cursor|endCursor)":"([\w-]+)\./g)].map(([, part = '']) =>
    Buffer.from(part, 'base64url').toString(),
  );

const list = `query ($filter: HealthEventFilter, $orderBy: [HealthEventOrder!]) {
  healthEvents(${since}, filter: $filter, orderBy: $orderBy) { totalCount nodes { trackingId } }
}`;

test('filters and orders do not reveal them: callers with and without the right to fetch get the same events, in the same order', async ({
  layer,
}) => {
  const { secrets } = await secretsOf(layer);
  const texts = fc.oneof(
    fc.constantFrom(...secrets),
    fc
      .tuple(fc.constantFrom(...secrets), fc.nat(20), fc.integer({ min: 1, max: 6 }))
      .map(([text, at, length]) => text.slice(at, at + length)),
  );
  const column = fc.constantFrom('title', 'trackingId', 'impactedService', 'impactedRegion');
  const operator = fc.constantFrom('eq', 'contains', 'startsWith', 'endsWith');
  const order = fc.constantFrom('PRIORITY', 'LAST_UPDATE_TIME', 'EVENT_LEVEL', 'TITLE', 'TRACKING_ID');
  await fc.assert(
    fc.asyncProperty(
      column,
      operator,
      texts,
      fc.boolean(),
      order,
      async (name, test, text, isNegated, field) => {
        const leaf = { [name]: { [test]: text } };
        const variables = { filter: isNegated ? { not: leaf } : leaf, orderBy: [`${field}_ASC`] };
        const answers = await Promise.all(
          [undefined, ...callers].map((token) =>
            layer.query(list, variables, token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ),
        );
        for (const { data, errors } of answers) {
          expect(errors).toBeUndefined();
          expect(data).toEqual(answers[0]?.data);
        }
      },
    ),
    { numRuns: 25 },
  );
});
