import { expect, onTestFinished, test } from 'vitest';
import type { RecordTypeDescriptor } from '../../../src/business/record-type.ts';
import { items } from '../../../src/business/records/items.ts';
import { addSources } from '../../../src/business/sources/record-sources.ts';
import { createRecordGraph } from '../../support/cases/record-graph.ts';
import { idOfThing } from '../../support/cases/sourced-things.ts';
import { startODataStub } from '../../support/upstreams/odata-stub.ts';

const route = 'contoso/app/v1.0';
const extended = addSources<RecordTypeDescriptor>(items, {
  sources: { extension: { route, entitySet: 'itemExtensions', fields: { hazardClass: 'code' } } },
});

async function start() {
  const ids = [1, 2, 3].map(idOfThing);
  const upstream = await startODataStub({
    'v2.0/items': {
      route: 'v2.0',
      key: ['id'],
      rows: ids.map((id, at) => ({ id, number: `I${at}`, displayName: `Item ${at}`, displayName2: 'v2' })),
    },
    'v1.0/items': {
      route: 'v1.0',
      key: ['id'],
      rows: ids.map((id, at) => ({
        id,
        number: `I${at}`,
        displayName: `Old ${at}`,
        baseUnitOfMeasure: { unitCode: 'PCS', unitName: 'Piece' },
      })),
    },
    itemExtensions: {
      route,
      key: ['id'],
      rows: ids.map((id, at) => ({ id, hazardClass: `H${at}` })),
    },
  });
  onTestFinished(() => upstream.stop());
  const { query } = createRecordGraph({
    url: upstream.url,
    recordTypes: [extended],
    sdl: 'extend type Item { hazardClass: String }',
  });
  const sets = () =>
    upstream
      .calls()
      .map((call) => /\/api\/(.+)\/companies.*\)\/(\w+)/.exec(call)?.slice(1).join(' '))
      .sort();
  return { upstream, query, sets };
}

test('an item has the fields of both of its shapes and of its extension', async () => {
  const { query, sets } = await start();

  const { data, errors } = await query(
    `{ company { item(id: "${idOfThing(2)}") { displayName2 hazardClass baseUnitOfMeasure { unitName } } } }`,
  );

  expect(errors).toBeUndefined();
  expect(data.company.item).toEqual({
    displayName2: 'v2',
    hazardClass: 'H1',
    baseUnitOfMeasure: { unitName: 'Piece' },
  });
  expect(sets()).toEqual([`${route} itemExtensions`, 'v1.0 items', 'v2.0 items']);
});

test('a list of items is that of the extension where it is filtered by it, in the shape that is asked for', async () => {
  const { query, sets } = await start();
  const list = (version: string) =>
    query(
      `{ company { items(version: ${version}, filter: { hazardClass: { eq: "H1" } }) { nodes { displayName hazardClass } } } }`,
    );

  expect((await list('AUTO')).data.company.items.nodes).toEqual([
    { displayName: 'Item 1', hazardClass: 'H1' },
  ]);
  expect((await list('V1')).data.company.items.nodes).toEqual([{ displayName: 'Old 1', hazardClass: 'H1' }]);
  expect(sets()).toEqual([`${route} itemExtensions`, `${route} itemExtensions`, 'v1.0 items', 'v2.0 items']);
});

test('a list of items by their own columns has the extension by key, and an item without it costs no call of it', async () => {
  const { query, sets } = await start();

  const { data } = await query('{ company { items { nodes { displayName hazardClass } } } }');
  await query('{ company { items { nodes { displayName } } } }');

  expect(data.company.items.nodes.map(({ hazardClass }: { hazardClass: string }) => hazardClass)).toEqual([
    'H0',
    'H1',
    'H2',
  ]);
  expect(sets()).toEqual([`${route} itemExtensions`, 'v2.0 items', 'v2.0 items']);
});

test('the payload of a change has the fields of the extension, and an entity tag of both', async () => {
  const { query, upstream } = await start();

  const { data } = await query(
    `mutation { updateItem(input: { id: "${idOfThing(1)}", ifMatch: "*", patch: { displayName: "New" } }) { item { displayName hazardClass etag } userErrors { code } } }`,
  );

  expect(data.updateItem).toMatchObject({ item: { displayName: 'New', hazardClass: 'H0' }, userErrors: [] });
  expect(data.updateItem.item.etag).toMatch(/^W\/"sources\./);
  expect(upstream.requests[0]?.method).toBe('PATCH');
});
