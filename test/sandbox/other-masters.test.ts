import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

describe.each([
  ['document', document],
  ['dynamics', dynamics],
] as const)('contacts, resources, dimensions and ledger entries of %s', (_dialect, sandbox) => {
  test('A.contact.1 People name their company, which is a customer or a vendor', async () => {
    const all = await sandbox.list(`${company}/contacts`);
    const companies = all.filter(({ type }) => type === 'Company');
    const byNumber = new Map(companies.map((one) => [one.number, one]));

    expect(new Set(companies.map((one) => one.contactBusinessRelation))).toEqual(
      new Set(['Customer', 'Vendor']),
    );
    for (const { companyNumber, companyName } of all)
      expect(byNumber.get(companyNumber)?.displayName).toBe(companyName);
  });

  test('A.contact.2 A contact is created, changed and deleted', async () => {
    const contacts = `${company}/contacts`;
    const { status, body } = await sandbox.post(contacts, { displayName: 'Ada Byron', type: 'Person' });
    const path = `${contacts}(${body.id})`;

    expect(status).toBe(201);
    expect(body).toMatchObject({ number: 'CT000049', searchName: 'ADA BYRON', type: 'Person' });
    expect(
      (await sandbox.patch(path, body['@odata.etag'], { privacyBlocked: true })).body.privacyBlocked,
    ).toBe(true);
    expect((await sandbox.patch(path, '*', { contactBusinessRelation: 'Vendor' })).status).toBe(400);
    expect((await sandbox.send('DELETE', path)).status).toBe(204);
    expect((await sandbox.post(contacts, { city: 'Oslo' })).status).toBe(400);
  });

  test('A.resource.1 A resource is created with a unit that exists, changed and deleted', async () => {
    const resources = `${company}/resources`;
    const { status, body } = await sandbox.post(resources, {
      displayName: 'Lathe',
      type: 'Machine',
      unitPrice: 80,
    });
    const path = `${resources}(${body.id})`;

    expect(status).toBe(201);
    expect(body).toMatchObject({ number: 'R0130', baseUnitOfMeasure: 'HOUR', unitPrice: 80, blocked: false });
    expect(
      (await sandbox.patch(path, body['@odata.etag'], { baseUnitOfMeasure: 'kg' })).body.baseUnitOfMeasure,
    ).toBe('KG');
    expect((await sandbox.patch(path, '*', { baseUnitOfMeasure: 'DAY' })).status).toBe(400);
    expect((await sandbox.send('DELETE', path)).status).toBe(204);
    expect(await sandbox.list(`${resources}?$filter=type eq 'Machine' and unitPrice gt 10`)).not.toEqual([]);
  });

  test('A.dimension.1 Dimensions expand their values, values their dimension, and orders use their codes', async () => {
    const dimensions = await sandbox.list(`${company}/dimensions?$expand=dimensionValues&$orderby=code`);
    const values = await sandbox.list(`${company}/dimensionValues?$expand=dimension`);
    const [, , department] = dimensions;
    const codes = department.dimensionValues.map(({ code }: { code: string }) => code);
    const orders = await sandbox.list(`${company}/purchaseOrders?$filter=shortcutDimension1Code ne ''`);

    expect(dimensions.map(({ code }) => code)).toEqual(['AREA', 'CUSTOMERGROUP', 'DEPARTMENT']);
    for (const { id, dimensionValues } of dimensions)
      expect(dimensionValues).toHaveLength(values.filter(({ dimensionId }) => dimensionId === id).length);
    for (const { dimensionId, dimension } of values) expect(dimension.id).toBe(dimensionId);
    for (const { shortcutDimension1Code } of orders) expect(codes).toContain(shortcutDimension1Code);
    expect((await sandbox.post(`${company}/dimensions`, { code: 'NEW' })).status).toBe(405);
  });

  test('A.ledger.1 Entries lead to accounts, add up to nothing, and have a GUID beside their number', async () => {
    const entries = await sandbox.list(
      `${company}/generalLedgerEntries?$expand=account&$orderby=entryNumber`,
    );
    const sum = (field: string) => entries.reduce((total, entry) => total + entry[field], 0);

    expect(entries.map(({ entryNumber }) => entryNumber)).toEqual(entries.map((_, index) => index + 1));
    expect(sum('debitAmount')).toBeCloseTo(sum('creditAmount'), 2);
    for (const { account, accountNumber } of entries)
      expect(account).toMatchObject({ number: accountNumber, directPosting: true });
    const [{ id }] = entries;
    expect((await sandbox.get(`${company}/generalLedgerEntries(${id})`)).body.entryNumber).toBe(1);
    expect((await sandbox.patch(`${company}/generalLedgerEntries(${id})`, '*', {})).status).toBe(405);
  });

  test('A.file.5 Vendors and contacts have pictures, purchases a PDF, and the company a logo', async () => {
    for (const [set, path, status] of [
      ['vendors', 'picture/pictureContent', 204],
      ['contacts', 'picture/pictureContent', 204],
      ['purchaseOrders', 'pdfDocument/pdfDocumentContent', 200],
      ['purchaseInvoices', 'pdfDocument/pdfDocumentContent', 200],
      ['companyInformation', 'picture', 204],
    ] as const) {
      const [one] = await sandbox.list(`${company}/${set}?$top=1`);
      const reply = await sandbox.get(`${company}/${set}(${one.id})/${path}`);

      expect(reply.status, set).toBe(status);
      if (reply.status === 200) expect(reply.text).toContain(`(${one.number})`);
    }
  });
});
