import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { test as documented, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' });

const path = (company: string) =>
  `/api/v2.0/companies(${company})/companyInformation?$select=id,currencyCode`;
const pathsOf = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).flatMap((call) => (call.parts ?? [call]).map((one) => one.path));

describe('the home currency of a company', () => {
  test('takes one call, wherever and however often it is selected', async ({ layer, sandbox }) => {
    const data = await layer.read(`{
      company { homeCurrencyCode again: homeCurrencyCode
        items(first: 3) { nodes { unitPrice company { homeCurrencyCode } } }
        customers(first: 3) { nodes { balanceDue company { homeCurrencyCode } } }
      }
      other: company { homeCurrencyCode }
    }`);

    const { items, customers, ...company } = data.company;
    expect(company).toEqual({ homeCurrencyCode: 'USD', again: 'USD' });
    expect(data.other).toEqual({ homeCurrencyCode: 'USD' });
    for (const { company: own } of [...items.nodes, ...customers.nodes])
      expect(own).toEqual({ homeCurrencyCode: 'USD' });
    const paths = await pathsOf(sandbox);
    expect(paths).toHaveLength(3);
    expect(paths.filter((one) => one.includes('companyInformation'))).toEqual([path(sandboxCompanyId)]);
  });

  test.for([
    [
      'the record by itself, as its documentation shows it',
      { id: sandboxCompanyId, currencyCode: 'NOK' },
      'NOK',
    ],
    ['an unset code', { value: [{ id: sandboxCompanyId, currencyCode: '' }] }, null],
  ] as const)('of %s', async ([, body, code], { layer, sandbox }) => {
    await sandbox.fault({ method: 'GET', path: 'companyInformation', status: 200, body });

    const data = await layer.read('{ company { homeCurrencyCode } }');

    expect(data.company.homeCurrencyCode).toBe(code);
  });
});

documented(
  'a line of a document has the currency of the document, without another call',
  async ({ layer, sandbox }) => {
    const read = async (owner: string) =>
      (
        await layer.query(
          `{ company { salesQuotes(first: 40) { nodes { ${owner} salesQuoteLines { currencyCode } } } } }`,
        )
      ).data.company.salesQuotes.nodes;
    const both = await read('currencyCode');
    await sandbox.forgetCalls();

    const alone = await read('');

    expect(await pathsOf(sandbox)).toHaveLength(1);
    const codes = new Set<string>();
    for (const [index, { currencyCode, salesQuoteLines }] of both.entries()) {
      codes.add(currencyCode);
      expect(salesQuoteLines.length).toBeGreaterThan(0);
      for (const line of salesQuoteLines) expect(line.currencyCode).toBe(currencyCode);
      expect(alone[index]).toEqual({ salesQuoteLines });
    }
    expect(codes.size).toBeGreaterThan(1);
  },
);
