import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { derivedGuid } from '../../../sandbox/seeded.ts';
import type { Json } from '../../support/json.ts';
import { type TestLayer, test } from '../../support/layer.ts';

/** The type behind each list, and the columns of which conditions are tested. */
const lists = {
  customers: [
    'Customer',
    `id number displayName type city phoneNumber website balanceDue creditLimit taxLiable currencyId blocked
     lastModifiedDateTime`,
  ],
  employees: ['Employee', 'id terminationDate birthDate'],
  salesQuotes: ['SalesQuote', 'id sentDate'],
  companies: ['Company', 'id timestamp'],
} as const;
type List = keyof typeof lists;

async function find(layer: TestLayer, list: List, filter: object): Promise<Json> {
  const [type, columns] = lists[list];
  const field = `${list}(first: 1000, filter: $filter) { totalCount nodes { ${columns} } }`;
  const { data, errors } = await layer.query(
    `query ($filter: ${type}Filter) { ${list === 'companies' ? field : `company { ${field} }`} }`,
    { filter },
  );
  expect(errors).toBeUndefined();
  return (data.company ?? data)[list];
}

const orchard = 'https://orchard-outfitters.example';
const euro = derivedGuid(`${sandboxCompanyId}:currencies:EUR`);
const [first = '', eighth = ''] = [0, 7].map((index) =>
  derivedGuid(`${sandboxCompanyId}:customers:${index}`),
);
const changed = '2025-01-06T10:31:03.554Z';
const owes = (row: Json, from: number, to: number) => +row.balanceDue > from && +row.balanceDue < to;

/** A filter, and the same condition on what the records show. */
type Case = readonly [filter: object, holds: (row: Json) => unknown];

const ofCustomers: Case[] = [
  [{ displayName: { eq: "O'Dwyer & Sons Outfitters" } }, (row) => row.displayName.startsWith("O'D")],
  [{ website: { eq: null } }, (row) => row.website === null],
  [{ website: { ne: null } }, (row) => row.website !== null],
  [{ website: { ne: orchard } }, (row) => row.website && row.website !== orchard],
  [{ not: { website: { eq: orchard } } }, (row) => row.website && row.website !== orchard],
  [{ phoneNumber: { gt: '+1 555 1100' } }, (row) => row.phoneNumber > '+1 555 1100'],
  [{ phoneNumber: { lt: '+1 555 1100' } }, (row) => row.phoneNumber && row.phoneNumber < '+1 555 1100'],
  [
    { phoneNumber: { ge: '+1 555 110', le: '+1 555 1109' } },
    (row) => /^\+1 555 110\d$/.test(row.phoneNumber),
  ],
  [{ phoneNumber: { ge: '' } }, (row) => row.phoneNumber !== null],
  [{ number: { in: ['C10010', 'C10020', 'C99999'] } }, (row) => ['C10010', 'C10020'].includes(row.number)],
  [{ displayName: { contains: 'ar' } }, (row) => row.displayName.includes('ar')],
  [{ displayName: { startsWith: 'H' } }, (row) => row.displayName.startsWith('H')],
  [{ displayName: { endsWith: 's' } }, (row) => row.displayName.endsWith('s')],
  [{ displayName: { contains: 'ö' } }, (row) => row.displayName.includes('ö')],
  [{ website: { contains: '' } }, (row) => row.website !== null],
  [{ not: { website: { contains: 'ou' } } }, (row) => row.website && !row.website.includes('ou')],
  [{ id: { in: [first, eighth.toUpperCase()] } }, (row) => row.id === first || row.id === eighth],
  [{ currencyId: { eq: euro } }, (row) => row.currencyId === euro],
  [{ currencyId: { eq: null } }, (row) => row.currencyId === null],
  [{ currencyId: { ne: euro } }, (row) => row.currencyId && row.currencyId !== euro],
  [{ not: { currencyId: { eq: null } } }, (row) => row.currencyId !== null],
  [{ balanceDue: { gt: '4000.50' } }, (row) => +row.balanceDue > 4000.5],
  [{ balanceDue: { lt: 100, ne: '0' } }, (row) => owes(row, 0, 100)],
  [{ creditLimit: { in: [500, '1000.00'] } }, (row) => [500, 1000].includes(+row.creditLimit)],
  [{ taxLiable: { eq: false } }, (row) => row.taxLiable === false],
  [{ not: { taxLiable: { ne: true } } }, (row) => row.taxLiable === true],
  [{ type: { ne: 'Company' } }, (row) => row.type === 'Person'],
  [{ blocked: { eq: null } }, (row) => row.blocked === null],
  [{ blocked: { in: ['Ship', 'All'] } }, (row) => ['Ship', 'All'].includes(row.blocked)],
  [{ not: { blocked: { in: ['Ship', 'All'] } } }, (row) => row.blocked === 'Invoice'],
  [{ lastModifiedDateTime: { eq: changed } }, (row) => row.lastModifiedDateTime === changed],
  [{ lastModifiedDateTime: { gt: changed } }, (row) => row.lastModifiedDateTime > changed],
  [{ lastModifiedDateTime: { le: changed } }, (row) => row.lastModifiedDateTime <= changed],
  [{ lastModifiedDateTime: { ge: changed } }, (row) => row.lastModifiedDateTime >= changed],
  [{ lastModifiedDateTime: { lt: changed } }, (row) => row.lastModifiedDateTime < changed],
  [{ not: { lastModifiedDateTime: { gt: changed } } }, (row) => row.lastModifiedDateTime <= changed],
  [{ not: { lastModifiedDateTime: { lt: changed } } }, (row) => row.lastModifiedDateTime >= changed],
  [{ type: { eq: 'Person' }, taxLiable: { eq: true } }, (row) => row.type === 'Person' && row.taxLiable],
  [
    { and: [{ website: { ne: null } }, { website: { lt: 'https://h' } }] },
    (row) => row.website && row.website < 'https://h',
  ],
  [
    { or: [{ type: { eq: 'Person' }, balanceDue: { gt: 1000 } }, { city: { startsWith: 'S' } }] },
    (row) => (row.type === 'Person' && +row.balanceDue > 1000) || row.city.startsWith('S'),
  ],
  [
    { taxLiable: { eq: true }, or: [{ type: { eq: 'Person' } }, { website: { eq: null } }] },
    (row) => row.taxLiable && (row.type === 'Person' || row.website === null),
  ],
  [
    { not: { or: [{ type: { eq: 'Person' } }, { taxLiable: { eq: false } }] } },
    (row) => row.type !== 'Person' && row.taxLiable,
  ],
  [
    { not: { and: [{ type: { eq: 'Company' } }, { website: { ne: null } }] } },
    (row) => row.type !== 'Company' || row.website === null,
  ],
  [
    { not: { balanceDue: { gt: 1000, lt: 2000 } } },
    (row) => +row.balanceDue <= 1000 || +row.balanceDue >= 2000,
  ],
  [{ not: { not: { balanceDue: { gt: 1000, lt: 2000 } } } }, (row) => owes(row, 1000, 2000)],
];

const ofOthers: [List, ...Case][] = [
  ['employees', { terminationDate: { eq: null } }, (row) => row.terminationDate === null],
  ['employees', { terminationDate: { lt: '2025-01-01' } }, (row) => /^202[34]/.test(row.terminationDate)],
  ['employees', { birthDate: { ge: '1980-01-01', lt: '1990-01-01' } }, (row) => /^198/.test(row.birthDate)],
  ['employees', { birthDate: { ne: '2026-01-01' } }, (row) => row.birthDate !== null],
  ['employees', { birthDate: { ge: '0001-01-01' } }, (row) => row.birthDate !== null],
  ['employees', { not: { birthDate: { ge: '1980-01-01' } } }, (row) => /^19[67]/.test(row.birthDate)],
  ['salesQuotes', { sentDate: { lt: '2025-03-01T00:00:00Z' } }, (row) => /^2025-0[12]/.test(row.sentDate)],
  ['salesQuotes', { sentDate: { eq: null } }, (row) => row.sentDate === null],
  ['salesQuotes', { sentDate: { ne: '2020-01-01T00:00:00Z' } }, (row) => row.sentDate !== null],
  ['companies', { timestamp: { eq: 47_434 } }, (row) => row.timestamp === 47_434],
  ['companies', { timestamp: { lt: 47_434 } }, (row) => row.timestamp < 47_434],
];

test.for([...ofCustomers.map((given) => ['customers', ...given] as const), ...ofOthers])(
  'of the %s, those that match %j are found and counted, and no others',
  async ([list, filter, holds], { layer }) => {
    const all = await find(layer, list, {});
    const expected = all.nodes.filter(holds);

    expect(await find(layer, list, filter)).toEqual({ totalCount: expected.length, nodes: expected });
    // A condition that all or none meet would prove little.
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(all.totalCount);
  },
);

test.for([{ number: { in: [] } }, { or: [] }, { number: { eq: 'C10000' }, city: { in: [] } }, { not: {} }])(
  'a filter that nothing matches, %j, is an empty list without an upstream call',
  async (filter, { layer, sandbox }) => {
    expect(await find(layer, 'customers', filter)).toEqual({ totalCount: 0, nodes: [] });
    expect(await sandbox.calls()).toEqual([]);
  },
);

test.for([{}, { and: [] }, { number: null }, { number: {} }, { or: [{}] }, { not: { number: { in: [] } } }])(
  'a filter that everything matches, %j, is sent without a filter',
  async (filter, { layer, sandbox }) => {
    const { totalCount } = await find(layer, 'customers', filter);

    expect(totalCount).toBe(300);
    expect((await sandbox.calls())[0]?.path).not.toContain('filter');
  },
);
