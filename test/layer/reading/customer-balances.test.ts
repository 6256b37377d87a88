import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import type { Json } from '../../support/json.ts';
import { test as documented, startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import { endWithTest } from '../../support/runner/end-with-test.ts';

const financials = 'financials { balance totalSalesExcludingTax overdueAmount company { id } }';
const aged =
  'agedReceivables { balanceDue currentAmount period1Amount period2Amount period3Amount agedAsOfDate periodLengthFilter }';

async function customers(layer: TestLayer, selection: string, first = 50): Promise<readonly Json[]> {
  const { data, errors } = await layer.query(
    `{ company { customers(first: ${first}) { nodes { ${selection} } } } }`,
  );
  expect(errors).toBeUndefined();
  return data.company.customers.nodes;
}

/** What the open documents of the company say that a customer owes. */
async function owed(layer: TestLayer): Promise<ReadonlyMap<string, number>> {
  const { data } = await layer.query(`{ company {
    salesInvoices(first: 200, filter: { status: { eq: "Open" } }) { nodes { billToCustomerId amount: remainingAmount } }
    salesCreditMemos(first: 200, filter: { status: { eq: "Open" } }) { nodes { billToCustomerId amount: totalAmountIncludingTax } }
  } }`);
  const sums = new Map<string, number>();
  const add = (sign: number) => (one: Json) =>
    sums.set(one.billToCustomerId, (sums.get(one.billToCustomerId) ?? 0) + sign * Number(one.amount));
  data.company.salesInvoices.nodes.forEach(add(1));
  data.company.salesCreditMemos.nodes.forEach(add(-1));
  return sums;
}

describe.each([
  ['document', documented],
  ['dynamics', testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' })],
] as const)('what customers owe in the dialect %s', (dialect, test) => {
  test('fifty customers with their finances are one call, and with their aged receivables one more', async ({
    layer,
    sandbox,
  }) => {
    const all = await customers(layer, `id ${financials} ${aged}`);

    const paths = (await sandbox.calls()).map(({ path }) => decodeURIComponent(path));
    expect(paths).toHaveLength(2);
    expect(paths[0]).toContain('$expand=customerFinancialDetail(');
    expect(paths[1]).toContain('/agedAccountsReceivables?');
    expect(paths[1]?.match(/customerId eq /g)).toHaveLength(50);
    expect(paths[1]).not.toMatch(/[^r]Id eq|\$select=id/);
    const sums = await owed(layer);
    expect(all).toHaveLength(50);
    for (const { id, financials: sum, agedReceivables: parts } of all) {
      expect(Number(sum.balance)).toBeCloseTo(sums.get(id) ?? 0, 2);
      expect(parts.balanceDue).toBe(sum.balance);
      expect(parts.periodLengthFilter).toBe('30D');
      const periods = [parts.period1Amount, parts.period2Amount, parts.period3Amount].map(Number);
      const overdue = periods.reduce((total, amount) => total + amount);
      expect(overdue).toBeCloseTo(Number(sum.overdueAmount), 2);
      expect(overdue + Number(parts.currentAmount)).toBeCloseTo(Number(sum.balance), 2);
    }
    expect(all.some(({ financials: sum }) => Number(sum.balance) > 0)).toBe(true);
    expect(all.some(({ financials: sum }) => Number(sum.totalSalesExcludingTax) > 0)).toBe(true);
  });

  test('those of one customer are read by the key of the customer', async ({ layer, sandbox }) => {
    const [{ id }] = (await customers(layer, 'id', 1)) as [Json];
    await sandbox.forgetCalls();

    const { data, errors } = await layer.query(
      `query ($id: UUID!) { company { customer(id: $id) { ${aged} ${financials} } } }`,
      { id },
    );

    expect(errors).toBeUndefined();
    expect(data.company.customer.agedReceivables.balanceDue).toBe(data.company.customer.financials.balance);
    expect(data.company.customer.financials.company).toEqual({ id: sandboxCompanyId });
    const paths = (await sandbox.calls()).map(({ path }) => path.replace(/\?.*/, ''));
    expect(paths).toContain(`/api/v2.0/companies(${sandboxCompanyId})/agedAccountsReceivables(${id})`);
  });

  test('receivables of another customer than was asked for are an error, and not shown', async ({
    layer,
    sandbox,
  }) => {
    const customerId = '11111111-0000-4000-8000-000000000000';
    await sandbox.fault({
      path: '/agedAccountsReceivables',
      status: 200,
      body: { value: [{ customerId, balanceDue: 5 }] },
    });

    const { data, errors } = await layer.query(
      '{ company { customers(first: 2) { nodes { agedReceivables { balanceDue } } } } }',
    );

    expect(data.company.customers.nodes).toEqual([{ agedReceivables: null }, { agedReceivables: null }]);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([
      'UPSTREAM_BAD_RESPONSE',
      'UPSTREAM_BAD_RESPONSE',
    ]);
  });

  test('one customer without receivables has none, once the set was read by the name of its key', async ({
    layer,
    sandbox,
  }) => {
    const value = [{ id: '11111111-0000-4000-8000-000000000000' }];
    await sandbox.fault({ path: '/customers', status: 200, body: { value } });

    expect(await customers(layer, 'agedReceivables { balanceDue }', 1)).toEqual([{ agedReceivables: null }]);
    const [, read, ...proof] = (await sandbox.calls()).map(({ path }) => path.replace(/.*\//, ''));
    expect(read).toBe(
      'agedAccountsReceivables(11111111-0000-4000-8000-000000000000)?$select=customerId,balanceDue',
    );
    // Only in the dialect `document` does the 404 prove that there is no such record.
    expect(proof).toEqual(
      dialect === 'document' ? [] : ['agedAccountsReceivables?$top=1&$select=customerId'],
    );
  });
});

documented(
  'without expansion, the finances of fifty customers are one call beside that of their list',
  async ({ sandbox }) => {
    const layer = await startTestLayer(sandbox.url);
    endWithTest(layer.stop);
    await sandbox.fault({ path: 'customerFinancialDetail(', status: 501 });
    const all = await customers(layer, financials);

    expect(all.every((customer) => customer.financials !== null)).toBe(true);
    const sets = (await sandbox.calls()).map(
      ({ path }) => /\/(\w+)[?(]/.exec(path.replace(/companies\([^)]*\)/, ''))?.[1],
    );
    expect(sets.slice(0, 3)).toEqual(['customers', 'customers', 'customerFinancialDetails']);
  },
);
