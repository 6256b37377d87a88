import { describe, expect, test } from 'vitest';
import { startBeforeStub } from '../../support/layer.ts';
import type { StubAnswer, StubRequest } from '../../support/stub.ts';

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
  const { stub, layer } = await startBeforeStub(answer, { UPSTREAM_ATTEMPTS: '3' });
  return async (query: string) => {
    const { data, errors = [] } = await layer.query(query);
    return {
      event: data.event?.nodes ? data.event.nodes[0] : data.event,
      errors: errors.map(({ path, extensions }) => `${path?.join('.')} ${extensions.code}`).sort(),
      calls: stub.requests.map(({ method }) => method).join(' '),
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

describe('of a sensitive event', () => {
  const hollow = {
    isEventSensitive: true,
    title: 'Short',
    status: 'Active',
    links: [],
    impact: [{ impactedService: 'Mail', impactedRegions: [{ impactedRegion: 'North', updates: [] }] }],
  };
  const full = {
    isEventSensitive: true,
    title: 'In full',
    status: 'Resolved',
    links: [{ bladeName: 'B' }],
    impact: [
      {
        impactedService: 'Mail',
        impactedRegions: [{ impactedRegion: 'North', updates: [{ summary: 'U' }] }],
      },
    ],
  };
  const below = {
    links: 'links { bladeName }',
    impact: 'impact { impactedService impactedRegions { impactedRegion updates { summary } } }',
  } as const;
  const asked = (plainProperties: object, answer: StubAnswer) =>
    asking((request) => {
      const body = { name: 'A', properties: plainProperties };
      if (inList(request)) return { body: { value: [body] } };
      return request.method === 'GET' ? { body } : answer;
    });
  const inDetail = { body: { name: 'A', properties: full } };

  test.each(Object.entries(below))(
    'an empty %s is read in its details, which win for all that is selected',
    async (field, selected) => {
      for (const road of ['healthEvent(trackingId: "A") { @ }', 'healthEvents { nodes { @ } }']) {
        const ask = await asked(hollow, inDetail);
        const fields = `title status isEventSensitive ${selected}`;

        expect(await ask(`{ event: ${road.replace('@', fields)} }`)).toEqual({
          event: {
            title: 'In full',
            status: 'RESOLVED',
            isEventSensitive: true,
            [field]: full[field as keyof typeof full],
          },
          errors: [],
          calls: 'GET POST',
        });
      }
    },
  );

  test('that has only its title, the rest is that of its details, read with one call', async () => {
    const ask = await asked(
      { isEventSensitive: true, title: 'T' },
      { body: { name: 'A', properties: { isHIR: true, status: 'Resolved' } } },
    );

    expect(await ask('{ event: healthEvents { nodes { title isHIR status } } }')).toEqual({
      event: { title: 'T', isHIR: true, status: 'RESOLVED' },
      errors: [],
      calls: 'GET POST',
    });
    const refused = await asked({ isEventSensitive: true, title: 'T' }, { status: 403 });

    expect(
      await refused('{ event: healthEvent(trackingId: "A") { title isHIR impact { impactedService } } }'),
    ).toEqual({
      event: { title: 'T', isHIR: null, impact: null },
      errors: ['event.impact FORBIDDEN', 'event.isHIR FORBIDDEN'],
      calls: 'GET POST',
    });
  });

  test('regions and what they lack are an error where its details cannot be read', async () => {
    const query = `{ event: healthEvent(trackingId: "A") {
      title impact { impactedService impactedRegions { impactedRegion status } } } }`;
    const of = (impactedRegions: object[]) => ({
      isEventSensitive: true,
      title: 'T',
      impact: [{ impactedService: 'Mail', impactedRegions }],
    });
    const complete = [{ impactedRegion: 'North', status: 'Active' }];
    const lacking = [[], [{ impactedRegion: 'North' }]];
    const codes = await Promise.all(
      [...lacking, complete].map(
        async (regions) => (await (await asked(of(regions), { status: 403 }))(query)).errors,
      ),
    );

    expect(codes).toEqual([
      ['event.impact.0.impactedRegions FORBIDDEN'],
      ['event.impact.0.impactedRegions.0.status FORBIDDEN'],
      [],
    ]);
  });
});
