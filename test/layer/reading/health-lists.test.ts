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
  const data = await layer.read(`{ healthEvents(${args}) { nodes { ${selection} } } }`);
  return data.healthEvents.nodes as readonly Listed[];
};
const namesOf = (events: readonly Listed[]) => events.map(({ trackingId }) => trackingId);

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
});
