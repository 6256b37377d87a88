import { expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { type TestLayer, test } from '../../support/layer.ts';

const long = 'since: "2000-01-01T00:00:00Z"';
const names = 'nodes { trackingId }';

interface Listed {
  readonly trackingId: string;
  readonly [field: string]: Json;
}

const list = async (layer: TestLayer, args: string, selection = 'trackingId') => {
  const { data, errors } = await layer.query(`{ healthEvents(${args}) { nodes { ${selection} } } }`);
  expect(errors).toBeUndefined();
  return data.healthEvents.nodes as readonly Listed[];
};
const namesOf = (events: readonly Listed[]) => events.map(({ trackingId }) => trackingId);

test('a list of the tenant, or of a subscription, is read page by page', async ({ layer, sandbox }) => {
  const subscriptionId = '11111111-2222-4333-8444-555555555555';

  const tenant = await list(layer, 'first: 2', 'scope trackingId');
  const [of, ...pages] = (await sandbox.calls()).map(({ method, path }) => `${method} ${path}`);
  await sandbox.forgetCalls();
  const own = await list(layer, `first: 2, subscriptionId: "${subscriptionId}"`, 'scope trackingId');

  expect(of).toBe('GET /providers/Vendor.Health/events?api-version=2025-05-01');
  expect(pages.length).toBeGreaterThan(1);
  for (const page of pages) expect(page).toMatch(/^GET \/providers\/.*\?api-version=2025-05-01&\$skipToken=/);
  for (const { path } of await sandbox.calls())
    expect(path).toMatch(`/subscriptions/${subscriptionId}/providers/Vendor.Health/events?`);
  expect(tenant.map(({ scope }) => scope)).toEqual(['tenant', 'tenant']);
  expect(own).toEqual(tenant.map(({ trackingId }) => ({ scope: subscriptionId, trackingId })));
});

test('pages of a list together are all of it, and every cursor leads to the row after its own', async ({
  layer,
}) => {
  const all = namesOf(await list(layer, `${long}, first: 1000`));
  const together: string[] = [];
  let after = '';
  let pages = 0;

  for (let hasNextPage = true; hasNextPage; pages++) {
    const { data } = await layer.query(
      `query ($after: String) { healthEvents(${long}, first: 7, after: $after) {
        totalCount edges { cursor node { trackingId } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      } }`,
      { after: after || null },
    );
    const { totalCount, edges, pageInfo } = data.healthEvents;
    expect(totalCount).toBe(all.length);
    expect(pageInfo.hasPreviousPage).toBe(pages > 0);
    expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([edges[0].cursor, edges.at(-1).cursor]);
    const [next] = await list(layer, `${long}, first: 1, after: "${edges[2].cursor}"`);
    expect(next).toEqual(edges[3].node);
    together.push(...edges.map(({ node }: { node: Listed }) => node.trackingId));
    ({ hasNextPage, endCursor: after } = pageInfo);
  }

  expect(together).toEqual(all);
  expect(pages).toBe(Math.ceil(all.length / 7));
});

test('however many aliases filter, sort and cut it, a list is read once', async ({ layer, sandbox }) => {
  const aliases = ['first: 3', 'orderBy: PRIORITY_ASC', 'filter: { status: { eq: "Active" } }'];

  await layer.query(`{ healthEvents { ${names} } }`);
  const alone = (await sandbox.calls()).map(({ path }) => path);
  await sandbox.forgetCalls();
  const { errors } = await layer.query(
    `{ ${aliases.map((args, index) => `a${index}: healthEvents(${args}) { ${names} }`).join(' ')} }`,
  );

  expect(errors).toBeUndefined();
  expect((await sandbox.calls()).map(({ path }) => path)).toEqual(alone);
});

test('a cursor with other arguments is BAD_USER_INPUT, and nothing is sent', async ({ layer, sandbox }) => {
  const filter = 'filter: { status: { eq: "Active" } }';
  const { data } = await layer.query(
    `{ healthEvents(${long}, first: 2, ${filter}) { pageInfo { endCursor } } companies(first: 1) { pageInfo { endCursor } } }`,
  );
  const { endCursor } = data.healthEvents.pageInfo;
  await sandbox.forgetCalls();

  for (const args of [
    `${long}, after: "${endCursor}"`,
    `${long}, filter: { status: { eq: "Resolved" } }, after: "${endCursor}"`,
    `${long}, ${filter}, orderBy: TITLE_ASC, after: "${endCursor}"`,
    `since: "2001-01-01T00:00:00Z", ${filter}, after: "${endCursor}"`,
    `${long}, ${filter}, subscriptionId: "s", after: "${endCursor}"`,
    `${long}, ${filter}, after: "${endCursor.replace(/^./, 'X')}"`,
    `${long}, ${filter}, after: "${data.companies.pageInfo.endCursor}"`,
    `${long}, first: 0`,
    `${long}, first: 1001`,
    `subscriptionId: "a/b"`,
    `subscriptionId: "tenant"`,
    `filter: ${'{ not: '.repeat(18)}{}${' }'.repeat(18)}`,
  ]) {
    const { errors } = await layer.query(`{ healthEvents(${args}) { ${names} } }`);
    expect(errors?.[0]?.extensions.code, args).toBe('BAD_USER_INPUT');
  }

  expect(await sandbox.calls()).toEqual([]);
});

test('a list that changes between two pages shows no event twice, and omits none', async ({
  layer,
  sandbox,
}) => {
  const order = 'orderBy: TRACKING_ID_ASC';
  const make = (trackingId: string) =>
    sandbox.send('POST', '/sandbox/events', { trackingId, properties: {} });
  const remove = (trackingId: string) =>
    sandbox.send('POST', '/sandbox/events', { trackingId, remove: true });
  const all = namesOf(await list(layer, `${long}, first: 1000, ${order}`));
  const pageBehind = async (change: () => Promise<unknown>) => {
    await sandbox.reset();
    const { data } = await layer.query(
      `{ healthEvents(${long}, first: 3, ${order}) { pageInfo { endCursor } } }`,
    );
    await change();
    return namesOf(
      await list(layer, `${long}, first: 3, ${order}, after: "${data.healthEvents.pageInfo.endCursor}"`),
    );
  };

  expect(await pageBehind(async () => {})).toEqual(all.slice(3, 6));
  expect(await pageBehind(() => make('AAA'))).toEqual(all.slice(3, 6));
  expect(await pageBehind(() => remove(all[0] as string))).toEqual(all.slice(3, 6));
  // The event of the cursor itself.
  expect(await pageBehind(() => remove(all[2] as string))).toEqual(all.slice(3, 6));
  expect(await pageBehind(() => remove(all[3] as string))).toEqual(all.slice(4, 7));
});

test('since is sent upstream as a day, and Tributary compares to the last digit', async ({
  layer,
  sandbox,
}) => {
  const since = async (instant: string) => namesOf(await list(layer, `since: "${instant}", first: 1000`));

  const at = await since('2025-10-13T15:43:48.1203530Z');
  const [{ path } = { path: '' }] = await sandbox.calls();
  const after = await since('2025-10-13T15:43:48.1203531Z');

  expect(path).toBe('/providers/Vendor.Health/events?api-version=2025-05-01&queryStartTime=10%2F13%2F2025');
  expect(at).toContain('SI_1-QRT');
  expect(after).toEqual(at.filter((name) => name !== 'SI_1-QRT'));
  // Older by some hours, on the same day.
  expect(await since('2025-10-05T09:00:00Z')).toContain('SA_5-XYZ');
  expect(await since('2025-10-05T11:00:00Z')).not.toContain('SA_5-XYZ');
  // It does not say when it was updated.
  expect(after).toContain('MN_0-BAR');
});

const services = ({ impact }: Listed): string[] =>
  (impact ?? []).map(({ impactedService }: Listed) => impactedService);
const regions = ({ impact }: Listed): string[] =>
  (impact ?? []).flatMap(({ impactedRegions }: Listed) =>
    (impactedRegions ?? []).flatMap(({ impactedRegion }: Listed) => impactedRegion ?? []),
  );
const filtered: [string, (event: Listed) => boolean][] = [
  ['eventType: { eq: "ServiceIssue" }', ({ eventType }) => eventType === 'SERVICE_ISSUE'],
  ['eventType: { ne: "ServiceIssue" }', ({ eventType }) => eventType && eventType !== 'SERVICE_ISSUE'],
  ['eventType: { in: ["RCA", "Billing"] }', ({ eventType }) => ['RCA', 'BILLING'].includes(eventType)],
  ['eventType: { eq: null }', ({ eventType }) => eventType === null],
  ['eventSource: { eq: "ResourceHealth" }', ({ eventSource }) => eventSource === 'RESOURCE_HEALTH'],
  ['eventLevel: { ne: null }', ({ eventLevel }) => eventLevel !== null],
  ['level: { eq: "Critical" }', ({ level }) => level === 'CRITICAL'],
  ['status: { eq: "Active" }, isHIR: { eq: true }', ({ status, isHIR }) => status === 'ACTIVE' && isHIR],
  ['isEventSensitive: { ne: true }', ({ isEventSensitive }) => isEventSensitive === false],
  ['platformInitiated: { eq: null }', ({ platformInitiated }) => platformInitiated === null],
  ['priority: { ge: 4, lt: 12 }', ({ priority }) => priority !== null && priority >= 4 && priority < 12],
  ['priority: { gt: 21 }', ({ priority }) => priority > 21],
  ['priority: { le: 1 }', ({ priority }) => priority !== null && priority <= 1],
  ['priority: { eq: null }', ({ priority }) => priority === null],
  ['not: { priority: { in: [2, 20] } }', ({ priority }) => priority !== null && ![2, 20].includes(priority)],
  ['title: { contains: "KEYS" }', ({ title }) => /keys/i.test(title)],
  ['title: { startsWith: "your BILL", endsWith: "ing" }', ({ title }) => /^your bill.*ing$/i.test(title)],
  ['trackingId: { in: ["sa_5-xyz", "none"] }', ({ trackingId }) => trackingId === 'SA_5-XYZ'],
  ['not: { title: { contains: "e" } }', ({ title }) => title !== null && !/e/i.test(title)],
  ['impactedService: { eq: "block storage" }', (event) => services(event).includes('Block Storage')],
  [
    'not: { impactedService: { eq: "Block Storage" } }',
    (event) => services(event).length > 0 && !services(event).includes('Block Storage'),
  ],
  ['impactedRegion: { startsWith: "west", endsWith: "US" }', (event) => regions(event).includes('West US')],
  ['impactedRegion: { eq: null }', (event) => regions(event).length === 0],
  [
    'or: [{ status: { eq: "Resolved" } }, { and: [{ level: { eq: "Warning" } }, { priority: { lt: 3 } }] }]',
    ({ status, level, priority }) =>
      status === 'RESOLVED' || (level === 'WARNING' && priority !== null && priority < 3),
  ],
  ['or: []', () => false],
  ['status: { in: [] }', () => false],
  ['title: { contains: null }, priority: { gt: null }, and: []', () => true],
  ['lastUpdateTime: { eq: "2025-10-13T15:43:48.120353Z" }', ({ trackingId }) => trackingId === 'SI_1-QRT'],
  [
    'lastUpdateTime: { gt: "2025-06-01T00:00:00.000Z", lt: "2025-10-13T15:43:48.1203530Z" }',
    ({ lastUpdateTime, trackingId }) =>
      lastUpdateTime > '2025-06-01T00:00:01' && lastUpdateTime < '2025-10-13T16' && trackingId !== 'SI_1-QRT',
  ],
];

test.for(filtered)(
  'of all events, those with %s are listed and counted',
  async ([filter, passes], { layer }) => {
    const all = await list(
      layer,
      `${long}, first: 1000`,
      `trackingId title eventType eventSource eventLevel level status isEventSensitive isHIR platformInitiated priority
     lastUpdateTime impact { impactedService impactedRegions { impactedRegion } }`,
    );

    const { data, errors } = await layer.query(
      `{ healthEvents(${long}, first: 1000, filter: { ${filter} }) { totalCount ${names} } }`,
    );

    const expected = namesOf(all.filter(passes));
    expect(errors).toBeUndefined();
    expect(namesOf(data.healthEvents.nodes)).toEqual(expected);
    expect(data.healthEvents.totalCount).toBe(expected.length);
    if (!/\[\]/.test(filter)) expect(expected).not.toEqual([]);
  },
);

test('an enum is found by its word, in either case', async ({ layer }) => {
  const select = (filter: string) =>
    list(layer, `${long}, first: 1000, filter: { ${filter} }`, 'trackingId status statusRaw');

  const active = await select('status: { eq: "ACTIVE" }');

  expect(active).toEqual(await select('status: { eq: "Active" }'));
  expect(new Set(active.map(({ status, statusRaw }) => `${status} ${statusRaw}`))).toEqual(
    new Set(['ACTIVE Active']),
  );
  expect(await select('not: { status: { ne: "Active" } }')).toEqual(active);
  expect(await select('status: { in: ["active"] }')).toEqual(active);
  expect(await select('status: { eq: "Active", ne: "Active" }')).toEqual([]);
  expect(await select('status: { eq: "Forecast" }')).toEqual([]);
  expect(await select('status: { in: null }')).toHaveLength((await select('')).length);
});
