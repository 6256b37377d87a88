import { expect, test as plain } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { type StubAnswer, type StubRequest, startStub } from '../../support/stub.ts';

/** What a list shows of an upstream that answers so, and what was asked of it. */
async function listFrom(answer: (request: StubRequest) => StubAnswer) {
  const upstream = await startStub(answer);
  const layer = await startTestLayer(upstream.url);
  const { data, errors } = await layer.query('{ healthEvents { nodes { trackingId title } } }');
  await layer.stop();
  upstream.stop();
  return { nodes: data.healthEvents?.nodes, error: errors?.[0], requests: upstream.requests };
}

plain.each([
  ['to another path', () => '/providers/Vendor.Health/metadata?$skipToken=a', 1],
  ['on without an end', (target: string) => `${target}x&$skipToken=a`, 50],
])('a next link that leads %s is UPSTREAM_BAD_RESPONSE', async (_where, linkOf, calls) => {
  const { nodes, error, requests } = await listFrom(({ target }) => ({
    body: { value: [{ name: 'A' }], nextLink: linkOf(target) },
  }));

  expect(nodes).toBeUndefined();
  expect(error?.extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
  expect(requests).toHaveLength(calls);
});

plain.each<[string, StubAnswer]>([
  ['a bare list', { body: [{ name: 'A' }] }],
  ['no list', { body: { value: null } }],
])('a list answered by %s is UPSTREAM_BAD_RESPONSE', async (_what, answer) => {
  const { error } = await listFrom(() => answer);

  expect(error?.extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', upstream: 'health' });
});

plain('rows with a usable tracking id are listed, each once, and no others', async () => {
  const { nodes } = await listFrom(() => ({
    body: {
      value: [
        null,
        'A',
        {},
        { properties: { title: 'Nameless' } },
        { name: 'A', properties: { title: 'First' } },
        { name: 'A', properties: { title: 'Again' } },
        { id: '/providers/Vendor.Health/events/B' },
      ],
      nextLink: null,
    },
  }));

  expect(nodes).toEqual([
    { trackingId: 'A', title: 'First' },
    { trackingId: 'B', title: null },
  ]);
});
