import { describe, expect, onTestFinished, test } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { type StubAnswer, type StubRequest, startStub } from '../../support/stub.ts';

const ofPlain = { eventType: 'SecurityAdvisory', status: 'Active', title: 'T' };
const plain: StubAnswer = {
  body: { name: 'A', properties: { ...ofPlain, impact: [{ impactedService: 'Mail' }] } },
};
const selection = 'title status summary impact { impactedService impactedServiceGuid }';
const roads = {
  event: [`{ event: healthEvent(trackingId: "A") { ${selection} } }`, 'event'],
  list: [`{ event: healthEvents { nodes { ${selection} } } }`, 'event.nodes.0'],
} as const;

async function asking(answer: (request: StubRequest) => StubAnswer) {
  const upstream = await startStub(answer);
  const layer = await startTestLayer(upstream.url, { UPSTREAM_ATTEMPTS: '3' });
  onTestFinished(async () => {
    await layer.stop();
    upstream.stop();
  });
  return async (query: string) => {
    const { data, errors = [] } = await layer.query(query);
    return {
      event: data.event?.nodes ? data.event.nodes[0] : data.event,
      errors: errors.map(({ path, extensions }) => `${path?.join('.')} ${extensions.code}`).sort(),
      calls: upstream.requests.map(({ method }) => method).join(' '),
    };
  };
}

const inList = ({ target }: StubRequest) => /\/events\?/.test(target);
const details =
  (body: unknown, status = 200) =>
  (request: StubRequest) =>
    inList(request) ? { body: { value: [plain.body] } } : request.method === 'GET' ? plain : { status, body };

describe.each([
  ['404 with a page of a proxy', 404, '<html><title>404</title></html>', 'UPSTREAM_NOT_FOUND', 3],
  ['404 with an unknown type', 404, { code: 'InvalidResourceType' }, 'UPSTREAM_NOT_FOUND', 3],
  ['404 with nothing', 404, '', 'UPSTREAM_NOT_FOUND', 3],
  ['200 without properties', 200, { id: '/x/A', name: 'A' }, 'UPSTREAM_BAD_RESPONSE', 1],
  ['200 with empty properties', 200, { name: 'A', properties: {} }, 'UPSTREAM_BAD_RESPONSE', 1],
  [
    '200 with another event',
    200,
    { name: 'B', properties: { ...ofPlain, summary: 'Of B' } },
    'UPSTREAM_BAD_RESPONSE',
    1,
  ],
] as const)('a fetch answered %s', (_what, status, body, code, times) => {
  test.each(Object.keys(roads) as (keyof typeof roads)[])(
    'is an error at the withheld fields of an event, never null, and the rest is returned (%s)',
    async (road) => {
      const [query, at] = roads[road];
      const ask = await asking(details(body, status));

      expect(await ask(query)).toEqual({
        event: {
          title: 'T',
          status: 'ACTIVE',
          summary: null,
          impact: [{ impactedService: 'Mail', impactedServiceGuid: null }],
        },
        errors: [`${at}.impact.0.impactedServiceGuid ${code}`, `${at}.summary ${code}`],
        calls: ['GET', ...Array(times).fill('POST')].join(' '),
      });
    },
  );
});

test('details whose name differs in case, or is missing, belong to the requested event', async () => {
  for (const name of ['a', undefined, 7]) {
    const ask = await asking(details({ name, properties: { summary: 'S' } }));

    expect(await ask(roads.event[0])).toMatchObject({ event: { summary: 'S' }, errors: [] });
  }
});

test.each(['GET', 'POST'])(
  'an event whose only read, a %s, returns another event is not returned',
  async (by) => {
    const ask = await asking(({ method }) =>
      method === by ? { body: { name: 'B', properties: { title: 'Of B' } } } : { status: 405, body: '' },
    );

    expect(await ask('{ event: healthEvent(trackingId: "A") { title } }')).toMatchObject({
      event: null,
      errors: ['event UPSTREAM_BAD_RESPONSE'],
    });
  },
);

test.each([
  ['securityadvisory', { summary: '', description: '' }],
  ['SECURITYADVISORY', {}],
  ['SecurityAdvisory', { summary: '', impact: [{ impactedService: 'Mail', impactedServiceGuid: '' }] }],
])('an advisory, as %s, without texts (%j) is assumed to withhold them', async (eventType, texts) => {
  const ask = await asking(({ method }) => ({
    body: {
      name: 'A',
      properties:
        method === 'GET'
          ? { eventType, title: 'T', impact: [{ impactedService: 'Mail' }], ...texts }
          : { summary: 'S', impact: [{ impactedService: 'Mail', impactedServiceGuid: 'G' }] },
    },
  }));

  expect(await ask(roads.event[0])).toEqual({
    event: {
      title: 'T',
      status: null,
      summary: 'S',
      impact: [{ impactedService: 'Mail', impactedServiceGuid: 'G' }],
    },
    errors: [],
    calls: 'GET POST',
  });
});
