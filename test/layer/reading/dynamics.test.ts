import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { neverSet, unreadFields } from '../../support/cases/every-field.ts';
import { testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics', MAX_COST: '200000' });

const filters = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ path }) => new URLSearchParams(path.split('?')[1]).get('$filter'));

test('every field of every type can be read from the Dynamics service, too', async ({ layer }) => {
  // Its quota and the home currency are known, and it has files.
  const isSetHere = (field: string) =>
    /^(UpstreamPace\.quotaRemaining|Company\.homeCurrencyCode|File\..*|.*\.(picture|pdf|content))$/.test(
      field,
    );
  const neverSetHere = neverSet.filter((field) => !isSetHere(field));
  expect(await unreadFields(layer)).toEqual(neverSetHere);
});

test('values in the form of XML names are decoded', async ({ layer, sandbox }) => {
  const raw = await sandbox.send('GET', `/api/v2.0/companies(${sandboxCompanyId})/salesOrders`);
  expect(await raw.text()).toContain('"In_x0020_Review"');

  const data = await layer.read(`{ company {
    salesOrders(first: 200) { nodes { status } }
    salesQuotes { nodes { status } }
    items(first: 100) { nodes { type } }
    customers(first: 100) { nodes { blocked } }
    accounts { nodes { category consolidationTranslationMethod } }
  } }`);

  const { salesOrders, salesQuotes, customers } = data.company;
  expect(salesOrders.nodes).toContainEqual({ status: 'In Review' });
  expect(salesQuotes.nodes).toContainEqual({ status: 'Expired ' });
  expect(customers.nodes).toContainEqual({ blocked: null });
  expect(JSON.stringify(data)).not.toMatch(/_x00/);
});

test.for([
  [
    'salesQuotes',
    '{ status: { in: ["Expired ", "Draft"] } }',
    "status eq 'Expired_x0020_' or status eq 'Draft'",
    24,
  ],
  ['customers', '{ blocked: { eq: null } }', "blocked eq '_x0020_'", 240],
] as const)('of the %s, %s is sent as %s', async ([list, filter, text, count], { layer, sandbox }) => {
  const data = await layer.read(`{ company { ${list}(filter: ${filter}) { totalCount nodes { etag } } } }`);

  expect(data.company[list].totalCount).toBe(count);
  expect(await filters(sandbox)).toEqual([text]);
});
