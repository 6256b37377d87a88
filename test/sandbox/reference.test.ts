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
});
