import fc from 'fast-check';
import { type GraphQLObjectType, getNamedType, isObjectType, isRequiredArgument } from 'graphql';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { ResponseMeter } from '../../../src/graph/response-meter.ts';
import { test } from '../../support/layer.ts';

const schema = createSchema();
const typeOf = (name: string) => schema.getType(name) as GraphQLObjectType;

// What it has counted of the last answer.
let counted = 0;
beforeEach(() => {
  const { release } = ResponseMeter.prototype;
  vi.spyOn(ResponseMeter.prototype, 'release').mockImplementation(function (this: ResponseMeter) {
    counted = this.bytes;
    release.call(this);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Fields of a type by numbers that decide everything: which, how often, under which names, and in which fragments. */
function selectionOf(type: GraphQLObjectType, next: () => number, depth: number): string {
  const fields = Object.values(type.getFields()).filter(
    (field) => !field.args.some(isRequiredArgument) && (depth > 0 || !isObjectType(getNamedType(field.type))),
  );
  const parts = Array.from({ length: 1 + (next() % 7) }, (_, at) => {
    const field = fields[next() % fields.length];
    if (!field) return '__typename';
    const below = getNamedType(field.type);
    const size = field.args.some(({ name }) => name === 'first') ? `(first: ${1 + (next() % 8)})` : '';
    const selected = isObjectType(below) ? ` { ${selectionOf(below, next, depth - 1)} }` : '';
    const part = `${'a'.repeat(1 + (next() % 20))}${at}: ${field.name}${size}${selected}`;
    return next() % 5 === 0 ? `... on ${type.name} { ${part} __typename }` : part;
  });
  return parts.join(' ');
}

const numbers = fc.infiniteStream(fc.nat(1_000));
const roots = [
  (inner: string) => `{ company { ${inner} } }`,
  (inner: string) => `{ companies(first: 2) { nodes { ${inner} } edges { cursor node { ${inner} } } } }`,
  (inner: string) => `{ healthEvents(first: 20) { nodes { ${inner} } pageInfo { startCursor endCursor } } }`,
] as const;

async function sizeOf(query: string, ask: (query: string) => Promise<{ data: unknown }>) {
  const { data } = await ask(query);
  return { counted, real: Buffer.byteLength(JSON.stringify(data ?? null)) };
}

test('whatever is selected, at least half of it is counted while it is built, and at most three times its size', async ({
  layer,
}) => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(roots.length - 1), numbers, async (root, stream) => {
      const next = () => stream.next().value as number;
      const inner = selectionOf(typeOf(root === 2 ? 'HealthEvent' : 'Company'), next, 4);
      const query = (roots[root] as (inner: string) => string)(inner);
      const { counted, real } = await sizeOf(query, (text) => layer.query(text));
      if (real < 100) return;
      compared += 1;
      expect(counted, query).toBeGreaterThanOrEqual(real / 2);
      expect(counted, query).toBeLessThan(3 * real + 1_000);
    }),
    { numRuns: 200 },
  );
  expect(compared).toBeGreaterThan(30);
});

test.for(['\u0001', '"', '漢', '\ud800'])(
  'characters that take more than a byte in JSON, as %j, are counted as such',
  async (character, { layer, sandbox }) => {
    await sandbox.send('POST', '/sandbox/events', {
      trackingId: 'SA_5-XYZ',
      properties: { title: character.repeat(20_000), summary: 'short' },
    });

    const { counted, real } = await sizeOf(
      '{ healthEvent(trackingId: "SA_5-XYZ") { title summary again: title } }',
      (text) => layer.query(text),
    );
    expect(real).toBeGreaterThan(40_000);
    expect(counted).toBeGreaterThanOrEqual(real / 2);
  },
);
