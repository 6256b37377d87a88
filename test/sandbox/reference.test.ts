import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

test('A.reference.2 Reference records are read by id and cannot be written', async () => {
  for (const set of ['paymentTerms', 'generalLedgerEntries']) {
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

describe('files', () => {
  const upload = (path: string, tag: string | undefined, body: string) =>
    dynamics.send('PATCH', path, { headers: tag === undefined ? {} : { 'if-match': tag }, body });

  test('A.file.2 A picture is there once it was uploaded, by a tag', async () => {
    const { id } = await dynamics.first('customers');
    const path = `${company}/customers(${id})/picture/pictureContent`;
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
