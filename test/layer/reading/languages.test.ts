import { expect } from 'vitest';
import { test } from '../../support/layer.ts';
import { place } from '../../support/operations.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const sentIn = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ headers }) => headers['accept-language']);

const names = '{ company { customers(first: 2) { nodes { displayName } } } }';
const ofAllAreas = `{
  company { name }
  applicationInstance(${Object.entries({ ...place, applicationInstanceName: 'app01' })
    .map(([name, value]) => `${name}: "${value}"`)
    .join(' ')}) { name }
  healthEvent(trackingId: "SI_1-QRT") { title }
}`;

test("a caller's Accept-Language is sent unchanged to the upstreams of all areas", async ({
  layer,
  sandbox,
}) => {
  const language = 'nb-NO,nb;q=0.9, en;q=0.5, *;q=0.1';
  await layer.read(ofAllAreas, {}, { 'accept-language': language });

  expect(await sentIn(sandbox)).toEqual([language, language, language]);
});

test.for(['n'.repeat(201), 'nb"', 'n\u00f8', ''])(
  'an invalid Accept-Language, as %j, is sent to no upstream, and the query succeeds',
  async (language, { layer, sandbox }) => {
    await layer.query(names, {}, { 'accept-language': 'nb' });
    await layer.read(ofAllAreas, {}, { 'accept-language': language });

    expect(await sentIn(sandbox)).toEqual(['nb', undefined, undefined, undefined]);
  },
);

// The same read, of another document.
const sameNames = 'query Names { company { customers(first: 2) { nodes { displayName } } } }';

test.for([
  ['queries', names],
  ['reads of different queries', sameNames],
] as const)(
  'identical %s in flight are shared by callers with the same languages only',
  async ([, second], { layer, sandbox }) => {
    await sandbox.fault({ method: 'GET', path: '/customers', delayMs: 400, times: 9 });
    await Promise.all(
      ['nb', 'de', 'nb', 'de'].map((language, index) =>
        layer.read(index < 2 ? names : second, {}, { 'accept-language': language }),
      ),
    );

    expect((await sentIn(sandbox)).sort()).toEqual(['de', 'nb']);
  },
);
