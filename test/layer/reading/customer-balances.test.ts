import { describe, expect } from 'vitest';
import { test as documented, testWith } from '../../support/layer.ts';

describe.each([
  ['document', documented],
  ['dynamics', testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' })],
] as const)('what customers owe in the dialect %s', (dialect, test) => {
  test('one customer without receivables has none, once the set was read by the name of its key', async ({
    layer,
    sandbox,
  }) => {
    const value = [{ id: '11111111-0000-4000-8000-000000000000' }];
    await sandbox.fault({ path: '/customers', status: 200, body: { value } });

    const data = await layer.read(
      '{ company { customers(first: 1) { nodes { agedReceivables { balanceDue } } } } }',
    );

    expect(data.company.customers.nodes).toEqual([{ agedReceivables: null }]);
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
