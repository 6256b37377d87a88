import { expect, test as plain } from 'vitest';
import { startTestLayer, test } from '../../support/layer.ts';
import { type StubAnswer, type StubRequest, startStub } from '../../support/stub.ts';

const listed = (selection: string, only: string) =>
  `{ healthEvents(since: "2000-01-01T00:00:00Z", filter: { trackingId: { eq: "${only}" } }) { nodes { ${selection} } } }`;

/** What a list shows of an upstream that answers so, and what was asked of it. */
async function listFrom(answer: (request: StubRequest) => StubAnswer) {
  const upstream = await startStub(answer);
  const layer = await startTestLayer(upstream.url);
  const { data, errors } = await layer.query('{ healthEvents { nodes { trackingId title } } }');
  await layer.stop();
  upstream.stop();
  return { nodes: data.healthEvents?.nodes, error: errors?.[0], requests: upstream.requests };
}

test.for([
  [
    'words nobody lists',
    'UW_1-ENU',
    `eventType eventTypeRaw eventSubType eventSource eventLevel level levelRaw status statusRaw eventTags eventTagsRaw
     links { type typeRaw } impact { impactedRegions { status statusRaw } }`,
    {
      eventType: 'UNRECOGNIZED',
      eventTypeRaw: 'Forecast',
      eventSubType: 'UNRECOGNIZED',
      eventSource: 'UNRECOGNIZED',
      eventLevel: 'UNRECOGNIZED',
      level: 'UNRECOGNIZED',
      levelRaw: 'Notice',
      status: 'UNRECOGNIZED',
      statusRaw: 'Paused',
      eventTags: ['UNRECOGNIZED'],
      eventTagsRaw: ['Action Advised'],
      links: [{ type: 'UNRECOGNIZED', typeRaw: 'Card' }],
      impact: [{ impactedRegions: [{ status: 'UNRECOGNIZED', statusRaw: 'Recovering' }] }],
    },
  ],
  [
    'values of other types',
    'WT_3-TYP',
    'title status eventTags priority isHIR impact { impactedService } links { type } lastUpdateTime oldRate',
    {
      title: null,
      status: null,
      eventTags: null,
      priority: null,
      isHIR: null,
      impact: null,
      links: [],
      lastUpdateTime: null,
      oldRate: '0.1',
    },
  ],
  [
    'parameters of any JSON',
    'UP_7-PAR',
    'article { parameters } links { parameters }',
    {
      article: { parameters: [1, 'two', { three: [null, true] }] },
      links: [
        { parameters: 'a=1&b=2' },
        { parameters: null },
        { parameters: 42 },
        {
          parameters: {
            rcaRequested: 'False',
            enabled: true,
            big: '12345678901234567890',
            'a key with blanks': { '': [] },
          },
        },
      ],
    },
  ],
] as const)(
  'an event with %s is listed with all the rest',
  async ([_what, only, selection, expected], { layer }) => {
    const { data, errors } = await layer.query(listed(selection, only));

    expect(errors).toBeUndefined();
    expect(data.healthEvents.nodes).toEqual([expected]);
  },
);

plain.each(['$skipToken=a%2Bb?c=d', '%24skipToken=a%2Bb?c=d'])(
  'a next link with a second question mark, as some upstreams send it, is followed: ?%s',
  async (token) => {
    const path = '/providers/Vendor.Health/events?api-version=2025-05-01';

    const { nodes, requests } = await listFrom(({ target }) => ({
      body: target.includes('skipToken')
        ? { value: [{ name: 'B' }] }
        : { value: [{ name: 'A' }], nextLink: `https://elsewhere.example${target}&day=7/24/2020?${token}` },
    }));

    expect(nodes).toMatchObject([{ trackingId: 'A' }, { trackingId: 'B' }]);
    // Only what begins a parameter separates: a value keeps its own.
    expect(requests.map(({ target }) => target)).toEqual([path, `${path}&day=7/24/2020&${token}`]);
  },
);

plain.each([
  ['to another path', () => '/providers/Vendor.Health/metadata?$skipToken=a', 1],
  ['nowhere', (target: string) => target, 1],
  ['to itself', (target: string) => `${target.split('&')[0]}&$skipToken=a`, 2],
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
