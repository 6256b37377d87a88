import { expect, onTestFinished, test } from 'vitest';
import { startTestLayer, testToken } from '../../support/layer.ts';
import { createLeaks } from '../../support/leaks.ts';
import { startStub } from '../../support/stub.ts';
import { startDecoy } from '../../support/upstreams/decoy.ts';

const id = '00000000-0000-4000-8000-000000000001';
const named = `{ company { customer(id: "${id}") { displayName } } }`;
const watched = 'subscription { healthEventChanged(trackingId: "SI_1") { title } }';

const spare = 'another-canary-of-the-tests';
const withSpare = { 'x-spare': `Bearer ${spare}` };

/** A layer before an upstream that writes a token it was never sent into its records: of those that it was, the layer hides some forms. */
async function startBeforeParrot(form: (authorization: string) => string) {
  const stub = await startStub(() => {
    const said = form(`Bearer ${spare}`);
    return { body: { id, displayName: said, name: 'SI_1', properties: { title: said } } };
  });
  onTestFinished(() => stub.stop());
  return startTestLayer(stub.url);
}

test.for<[string, (authorization: string) => string]>([
  ['as it is', (text) => text],
  ['in an address', (text) => `http://x/?token=${encodeURIComponent(text)}`],
  ['in Base64', (text) => Buffer.from(`ab${text}cd`).toString('base64')],
  [
    'in Base64 of addresses, from another place on',
    (text) => Buffer.from(`abc${text}`).toString('base64url'),
  ],
])('a token that appears %s fails its test', async ([, form]) => {
  const layer = await startBeforeParrot(form);

  await expect(layer.query(named, {}, withSpare)).rejects.toThrow('an answer holds');
  await layer.stop();
});

test.for(['watch', 'watchEvents'] as const)('so does one that an event contains (%s)', async (way) => {
  const layer = await startBeforeParrot((text) => text);
  // From here on it is looked for.
  await layer.query('{ __typename }', {}, withSpare);

  await expect(layer[way](watched, {})[Symbol.asyncIterator]().next()).rejects.toThrow('an event holds');
  await layer.stop();
});

test('a token of a single test is searched for like the usual one', async () => {
  const layer = await startBeforeParrot(() => Buffer.from('somebody-else').toString('base64'));

  await expect(layer.query(named, {}, { authorization: 'Bearer somebody-else' })).rejects.toThrow(
    'an answer holds',
  );
  await layer.stop();
});

test('a decoy that received a token fails at its end', async () => {
  const layer = await startBeforeParrot(() => 'nothing');
  await layer.query(named);
  await layer.stop();
  const decoy = await startDecoy();
  await fetch(`http://${decoy.host}/`, { headers: { authorization: `Bearer ${testToken}` } });

  await expect(decoy.stop()).rejects.toThrow(`A decoy holds ${testToken}`);
});

test('values that are not secret, or too short to be distinctive, are not searched for', () => {
  const leaks = createLeaks();
  leaks.keep('another');
  leaks.keep('canary-1');
  leaks.look('a text', 'another canary');
  leaks.check();
  leaks.look('a text', 'canary-1');

  expect(() => leaks.check()).toThrow('a text holds canary-1');
});
