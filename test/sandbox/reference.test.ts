import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

const readOnly =
  'paymentTerms itemCategories unitsOfMeasure currencies shipmentMethods paymentMethods taxAreas taxGroups locations itemVariants salespeoplePurchasers countriesRegions accounts dimensions generalLedgerEntries';

test('A.reference.2 Reference records are read by id and cannot be written', async () => {
  for (const set of readOnly.split(' ')) {
    const first = await document.first(set);
    const one = `${company}/${set}(${first.id})`;
    const replies = [
      await document.post(`${company}/${set}`, { code: 'NEW' }),
      await document.patch(one, '*', { displayName: 'X' }),
      await document.send('DELETE', one),
    ];

    expect(
      replies.map(({ status, headers }) => [status, headers.get('allow')]),
      set,
    ).toEqual(Array(3).fill([405, 'GET']));
    expect((await document.get(one)).body).toMatchObject(first);
  }
});

describe.each([
  ['document', document],
  ['dynamics', dynamics],
] as const)('other records of %s', (_dialect, sandbox) => {
  test('A.reference.8 companyInformation is a list of one record, which can be changed', async () => {
    const address = `${company}/companyInformation`;
    const [one, ...others] = await sandbox.list(address);
    const path = `${address}(${one.id})`;
    const changed = await sandbox.patch(path, one['@odata.etag'], { faxNumber: '+1 555 0199' });

    expect([others, one.currencyCode, one.country]).toEqual([[], 'USD', 'US']);
    expect(changed.body.faxNumber).toBe('+1 555 0199');
    expect((await sandbox.patch(path, '*', { currencyCode: 'EUR' })).status).toBe(400);
    expect((await sandbox.post(address, { displayName: 'Second' })).status).toBe(405);
  });

  test.each([
    [
      'A.contact.2',
      'contacts',
      { displayName: 'Ada Byron', type: 'Person' },
      { number: 'CT000049', searchName: 'ADA BYRON' },
      { privacyBlocked: true },
      { contactBusinessRelation: 'Vendor' },
    ],
    [
      'A.resource.1',
      'resources',
      { displayName: 'Lathe', type: 'Machine', unitPrice: 80 },
      { number: 'R0130', baseUnitOfMeasure: 'HOUR', blocked: false },
      { baseUnitOfMeasure: 'KG' },
      { baseUnitOfMeasure: 'DAY' },
    ],
  ])('%s One of %s is created, changed and deleted', async (_id, set, body, defaults, change, wrong) => {
    const made = await sandbox.post(`${company}/${set}`, body);
    const path = `${company}/${set}(${made.body.id})`;

    expect(made).toMatchObject({ status: 201, body: { ...body, ...defaults } });
    expect((await sandbox.patch(path, made.body['@odata.etag'], change)).body).toMatchObject(change);
    expect((await sandbox.patch(path, '*', wrong)).status).toBe(400);
    expect((await sandbox.send('DELETE', path)).status).toBe(204);
    expect((await sandbox.post(`${company}/${set}`, {})).status).toBe(400);
  });
});

describe('files', () => {
  const upload = (path: string, tag: string | undefined, body: string) =>
    dynamics.send('PATCH', path, { headers: tag === undefined ? {} : { 'if-match': tag }, body });

  test.each([
    ['customers', 'picture/pictureContent'],
    ['vendors', 'picture/pictureContent'],
    ['employees', 'picture/pictureContent'],
  ])('A.file.2 A picture of %s is there once it was uploaded, by a tag', async (set, name) => {
    const path = `${company}/${set}(${(await dynamics.first(set)).id})/${name}`;
    const statuses = [
      (await dynamics.get(path)).status,
      (await upload(path, 'W/"old"', 'GIF89a')).status,
      (await upload(path, undefined, 'GIF89a')).status,
      (await upload(path, '*', 'no picture')).status,
      (await upload(path, '*', 'GIF89a')).status,
    ];
    const { headers, text } = await dynamics.get(path);

    expect(statuses).toEqual([204, 409, 400, 400, 204]);
    expect([headers.get('content-type'), text]).toEqual(['image/gif', 'GIF89a']);
  });

  test('A.file.4 An attachment is created without bytes, below a record that exists, and has them by PATCH', async () => {
    const set = `${company}/documentAttachments`;
    const create = (parentId: string) =>
      dynamics.post(set, { fileName: 'Plan.pdf', parentType: 'Item', parentId });
    const { status, body } = await create((await dynamics.first('items')).id);
    const content = `${set}(${body.id})/attachmentContent`;

    expect((await create('11111111-0000-4000-8000-000000000000')).status).toBe(400);
    expect([status, body.byteSize, (await dynamics.get(content)).status]).toEqual([201, 0, 204]);
    expect((await upload(content, 'W/"old"', '%PDF-')).status).toBe(409);
    expect((await upload(content, body['@odata.etag'], '%PDF-')).status).toBe(204);
    expect((await dynamics.get(content)).headers.get('content-type')).toBe('application/pdf');
    expect((await dynamics.get(`${set}(${body.id})`)).body.byteSize).toBe(5);
  });
});
