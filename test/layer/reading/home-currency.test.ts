import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { test as documented, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' });

const path = (company: string) =>
  `/api/v2.0/companies(${company})/companyInformation?$select=id,currencyCode`;
const pathsOf = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).flatMap((call) => (call.parts ?? [call]).map((one) => one.path));

describe('the home currency of a company', () => {
  test('takes one call, wherever and however often it is selected', async ({ layer, sandbox }) => {
    const { data, errors } = await layer.query(`{
      company { homeCurrencyCode again: homeCurrencyCode
        items(first: 3) { nodes { unitPrice company { homeCurrencyCode } } }
        customers(first: 3) { nodes { balanceDue company { homeCurrencyCode } } }
      }
      other: company { homeCurrencyCode }
    }`);

    expect(errors).toBeUndefined();
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

    const { data, errors } = await layer.query('{ company { homeCurrencyCode } }');

    expect(errors).toBeUndefined();
    expect(data.company.homeCurrencyCode).toBe(code);
  });

  test('that may not be read fails alone', async ({ layer, sandbox }) => {
    await sandbox.fault({ method: 'GET', path: 'companyInformation', status: 403, body: {} });

    const { data, errors } = await layer.query('{ company { name homeCurrencyCode } }');

    expect(data).toEqual({ company: { name: 'Harbour & Heath', homeCurrencyCode: null } });
    expect(errors).toMatchObject([
      { path: ['company', 'homeCurrencyCode'], extensions: { code: 'FORBIDDEN' } },
    ]);
  });
});

describe('a line of a document has the currency of the document', () => {
  documented.for([['salesQuotes', 'salesQuoteLines', 'salesQuoteLines']])(
    'in %s, without another call',
    async ([list, lines, navigation], { layer, sandbox }) => {
      const select = (owner: string) =>
        `{ company { ${list}(first: 40) { nodes { ${owner} ${lines} { currencyCode unitPrice } } } } }`;
      const both = await layer.query(select('currencyCode'));
      await sandbox.forgetCalls();

      const { data, errors } = await layer.query(select(''));

      expect(errors).toBeUndefined();
      const [documents, alone] = [both, { data }].map(
        ({ data: { company } }) => company[list as string].nodes,
      );
      expect(await pathsOf(sandbox)).toEqual([
        expect.stringMatching(
          new RegExp(`\\$select=id,currencyCode&\\$expand=${navigation}\\(\\$select=unitPrice\\)$`),
        ),
      ]);
      const codes = new Set<string>();
      for (const [index, { currencyCode, [lines as string]: rows }] of documents.entries()) {
        codes.add(currencyCode);
        expect(rows.length).toBeGreaterThan(0);
        for (const line of rows) expect(line.currencyCode).toBe(currencyCode);
        expect(alone[index][lines as string]).toEqual(rows);
      }
      expect(codes.size).toBeGreaterThan(1);
    },
  );
});
