import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createSharedNoticesParser,
  indexByRecord,
  type Notice,
  parseNotifications,
  summarizeNotices,
} from '../../../src/changes/notifications.ts';
import { createClientStates } from '../../../src/changes/upstream-subscriptions.ts';
import { parseResource } from '../../../src/changes/watched-sets.ts';
import type { RecordType } from '../../../src/generated/graphql.ts';

const setOf = (type: RecordType, entitySet: string, route = 'v2.0') => ({
  type,
  route,
  entitySet,
});
const sets = [setOf('CUSTOMER', 'customers'), setOf('ITEM', 'items')];
const companyId = '0e0f0986-928f-40d7-8834-d1910255a423';
const id = '6c8412bf-6d98-42ce-bae5-f63018b7c03e';
const at = '2030-01-02T03:04:05.678Z';
const states = createClientStates(['the new secret', 'the old secret'], 'https://layer.example/');
const clientState = states.derive({ companyId, type: 'CUSTOMER' });
const item = (changes: object) => ({
  clientState,
  resource: `api/v2.0/companies(${companyId})/customers(${id})`,
  changeType: 'updated',
  lastModifiedDateTime: at,
  ...changes,
});
const read = (...value: readonly unknown[]) => parseNotifications(JSON.stringify({ value }), sets, states);
const set = `/api/v2.0/companies(${companyId})/customers`;
const many = (resource: string) => read(item({ changeType: 'collection', resource }))?.notices;

describe('a notification', () => {
  test.each(['created', 'updated', 'deleted'])('says that a record was %s, and when', (kind) => {
    expect(read(item({ changeType: kind }))).toEqual({
      notices: [{ companyId, type: 'CUSTOMER', notice: { kind, id, at } }],
      isForged: false,
      unreadable: 0,
    });
  });

  test.each([
    [`${set}?$filter=lastModifiedDateTime%20gt%20${at}`, at],
    [`${set}?%24filter=lastModifiedDateTime+ge+${at}`, at],
    [`${set}?$filter=lastModifiedDateTime gt yesterday`, null],
    [set, null],
  ])('of a collection, %s, says since when', (resource, since) => {
    expect(many(resource)).toMatchObject([{ notice: { kind: 'many', since } }]);
  });

  test.each(['0001-01-01T00:00:00', '2030-01-02T03:04:05', 5])(
    'with the time %j says that a record has changed, not when',
    (lastModifiedDateTime) => {
      expect(read(item({ lastModifiedDateTime }))).toMatchObject({
        notices: [{ notice: { kind: 'updated', id, at: null } }],
        unreadable: 0,
      });
    },
  );

  test.each([
    [{ resource: `${set}('${id}')` }],
    [{ resource: `/api/v2.0/companies(${companyId})/toString(${id})` }],
    [{ resource: `${set}(${id})${' '.repeat(3_000)}` }],
    [{ clientState: null }],
  ])('with %j is not understood, and the others are', (changes) => {
    expect(read(item(changes), item({}))).toMatchObject({ notices: [{}], isForged: false, unreadable: 1 });
  });

  test.each([
    [{ changeType: 'renamed' }],
    [{ changeType: 'constructor' }],
    [{ changeType: 'collection' }],
    [{ resource: `${set}(${id})?$filter=x` }],
  ])('with %j says that something has changed', (changes) => {
    expect(read(item(changes))).toEqual({
      notices: [{ companyId, type: 'CUSTOMER', notice: { kind: 'many', since: null } }],
      isForged: false,
      unreadable: 0,
    });
  });

  test('is genuine with the clientState of its own type and company alone, of this secret or a former one', () => {
    const former = createClientStates(['the old secret'], 'https://layer.example/');
    const word = (of: typeof states, target: { companyId: string; type: RecordType }) =>
      read(item({ clientState: of.derive(target) }));

    expect(word(former, { companyId, type: 'CUSTOMER' })).toMatchObject({ notices: [{}], isForged: false });
    for (const [of, target] of [
      [states, { companyId, type: 'ITEM' }],
      [states, { companyId: id, type: 'CUSTOMER' }],
      [createClientStates(['the old secret'], 'https://other.example/'), { companyId, type: 'CUSTOMER' }],
      [createClientStates(['another secret'], 'https://layer.example/'), { companyId, type: 'CUSTOMER' }],
    ] as const)
      expect(word(of, target)).toMatchObject({ notices: [], isForged: true });
    expect(read(item({ clientState: '' }))).toMatchObject({ notices: [], isForged: true });
  });

  test('is read up to its first forged item, after which no clientState is checked', () => {
    let checked = 0;
    const counting = {
      ...states,
      isGenuine(...given: Parameters<typeof states.isGenuine>) {
        checked += 1;
        return states.isGenuine(...given);
      },
    };
    const forged = item({ clientState: 'x'.repeat(43) });
    const value = [item({}), null, forged, ...Array(1_000).fill(forged), item({})];

    expect(parseNotifications(JSON.stringify({ value }), sets, counting)).toEqual({
      notices: [{ companyId, type: 'CUSTOMER', notice: { kind: 'updated', id, at } }],
      isForged: true,
      unreadable: 1,
    });
    expect(checked).toBe(2);
  });

  test('is null where the body is no list of values, and never an error', () => {
    for (const text of ['', '1', 'null', '[]', '{"value":1}', '{"Value":[]}'])
      expect(parseNotifications(text, sets, states)).toBeNull();
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        expect(read(...values)?.notices).toEqual([]);
      }),
    );
  });
});

describe('a resource', () => {
  const routes = [
    setOf('CUSTOMER', 'customers', 'v1.0'),
    setOf('ITEM', 'customers', 'contoso/app/v1.0'),
    setOf('EMPLOYEE', 'employees', 'contoso/app/v1.0'),
  ];
  const typeOf = (resource: string) => parseResource(resource, routes)?.type ?? null;

  test.each([
    ['/api/v1.0', 'customers', 'CUSTOMER'],
    ['/api/contoso/app/v1.0', 'customers', 'ITEM'],
    ['https://host.example/v2.0/tenant/production/api/contoso/app/v1.0', 'customers', 'ITEM'],
    ['/api/v2.0', 'customers', null],
    ['', 'employees', 'EMPLOYEE'],
  ])('below %s is of that API: %s', (root, name, type) => {
    expect(typeOf(`${root}/companies(${companyId})/${name}`)).toBe(type);
  });
});

const notice = (kind: 'created' | 'updated' | 'deleted', id: string, second = 0): Notice => ({
  kind,
  id,
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
});

test('of more than ten thousand only the earliest time is kept', () => {
  const notices = Array.from({ length: 10_000 }, (_, index) => notice('updated', String(index), 7));
  expect(summarizeNotices(notices)).toBe(notices);

  expect(
    summarizeNotices([...notices, notice('updated', 'earliest', 3), { kind: 'many', since: null }]),
  ).toEqual([{ kind: 'many', since: '2026-01-01T00:00:03.000Z' }]);
});

test('the last notice of a record counts, but one that was created stays so', () => {
  const records = indexByRecord([
    notice('created', 'a', 1),
    notice('updated', 'a', 2),
    notice('created', 'b', 1),
    notice('deleted', 'b', 2),
    notice('updated', 'c', 1),
    { kind: 'many', since: null },
  ]);

  expect([...records.values()]).toEqual([
    notice('created', 'a', 2),
    notice('deleted', 'b', 2),
    notice('updated', 'c', 1),
  ]);
});

test('a message of another replica is read if it has the form of this version, and otherwise has no notices', () => {
  const parse = createSharedNoticesParser(sets);
  const shared = { companyId, type: 'CUSTOMER', notice: { kind: 'updated', id, at } };

  expect(parse(JSON.stringify([shared]))).toEqual([shared]);
  for (const message of ['no JSON', '{}', JSON.stringify([{ ...shared, type: 'VENDOR' }])])
    expect(parse(message)).toEqual([]);
});
