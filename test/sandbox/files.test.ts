import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const dynamics = useSandbox({ dialect: 'dynamics' });

describe('files of records', () => {
  test('A.file.1 A document as PDF is one page with its number', async () => {
    for (const set of ['salesOrders', 'salesQuotes', 'salesInvoices', 'salesCreditMemos']) {
      const [one] = await dynamics.list(`${company}/${set}?$top=1`);

      const { status, headers, text } = await dynamics.get(
        `${company}/${set}(${one.id})/pdfDocument/pdfDocumentContent`,
      );

      expect([status, headers.get('content-type')], set).toEqual([200, 'application/pdf']);
      expect(text).toMatch(/^%PDF-/);
      expect(text).toContain(`(${one.number})`);
    }
  });

  test('A.file.2 A picture is there once it was uploaded, by a tag', async () => {
    for (const set of ['customers', 'items', 'employees']) {
      const [one] = await dynamics.list(`${company}/${set}?$top=1`);
      const path = `${company}/${set}(${one.id})/picture/pictureContent`;
      const upload = (tag: string, body: string) =>
        dynamics.send('PATCH', path, { headers: { 'if-match': tag }, body });

      const before = await dynamics.get(path);
      const stale = await upload('W/"old"', 'GIF89a');
      const untagged = await dynamics.send('PATCH', path, { body: 'GIF89a' });
      const text = await upload('*', 'no picture');
      const uploaded = await upload('*', 'GIF89a');
      const after = await dynamics.get(path);

      expect([before.status, stale.status, untagged.status, text.status, uploaded.status], set).toEqual([
        204, 409, 400, 400, 204,
      ]);
      expect([after.headers.get('content-type'), after.text]).toEqual(['image/gif', 'GIF89a']);
    }
  });

  test('A.file.4 An attachment is created without bytes, below a record that exists, and has them by PATCH', async () => {
    const [item] = await dynamics.list(`${company}/items?$top=1`);
    const input = { fileName: 'Plan.pdf', parentType: 'Item' };
    const set = `${company}/documentAttachments`;

    const refused = await dynamics.post(set, { ...input, parentId: '11111111-0000-4000-8000-000000000000' });
    const created = await dynamics.post(set, { ...input, parentId: item.id });
    const content = `${set}(${created.body.id})/attachmentContent`;
    const upload = (tag: string) =>
      dynamics.send('PATCH', content, { headers: { 'if-match': tag }, body: '%PDF-' });
    const empty = await dynamics.get(content);
    const stale = await upload('W/"old"');
    const uploaded = await upload(created.body['@odata.etag']);
    const read = await dynamics.get(content);

    expect(refused.status).toBe(400);
    expect([created.status, created.body.byteSize]).toEqual([201, 0]);
    expect([empty.status, uploaded.status, read.status]).toEqual([204, 204, 200]);
    expect(stale.status).toBe(409);
    expect(read.headers.get('content-type')).toBe('application/pdf');
    expect((await dynamics.get(`${set}(${created.body.id})`)).body.byteSize).toBe(5);
  });
});
