import { describe, expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { test as documented, testToken, testWith } from '../../support/layer.ts';

const inDynamics = testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' });
const authorization = `Bearer ${testToken}`;

describe.each([
  ['document', documented, 'Sales Order'],
  ['dynamics', inDynamics, 'Sales_x0020_Order'],
] as const)('attachments in the dialect %s', (_dialect, test, word) => {
  test('are those of a record by its id and its kind, in one call for more than four records', async ({
    layer,
    sandbox,
  }) => {
    const data = await layer.read(
      '{ company { salesOrders(first: 5, orderBy: [NUMBER_ASC]) { nodes { id documentAttachments { nodes { fileName parentType } } } } } }',
    );

    const { nodes } = data.company.salesOrders;
    const drawing = { fileName: 'Drawing.pdf', parentType: 'Sales Order' };
    expect(nodes.map(({ documentAttachments }: Json) => documentAttachments.nodes)).toEqual([
      [drawing],
      [drawing],
      [],
      [],
      [],
    ]);
    const [orders, ofThem, ...others] = await sandbox.calls();
    expect(orders?.path).toContain('/salesOrders?');
    expect(ofThem?.path).toMatch(/\/\$batch$/);
    expect(others).toEqual([]);
    const filterOf = ({ path }: { readonly path: string }) =>
      new URLSearchParams(path.split('?')[1]).get('$filter');
    expect(ofThem?.parts?.map(filterOf)).toEqual(
      nodes.map(({ id }: Json) => `parentId eq ${id} and parentType eq '${word}'`),
    );
  });
});

inDynamics(
  'the bytes of an attachment have a name that adds nothing to the header, whatever the upstream says',
  async ({ layer, sandbox }) => {
    const names = [
      'a"; filename="b.exe',
      'a\r\nset-cookie: x=1',
      '../../etc/passwd',
      '‮gpj.exe',
      'x'.repeat(5_000),
    ];
    const row = { id: '11111111-0000-4000-8000-000000000000', parentType: 'Item', byteSize: 3 };
    await sandbox.fault({
      path: '/documentAttachments?',
      status: 200,
      body: { value: names.map((fileName) => ({ ...row, fileName })) },
    });

    const { data } = await layer.query(
      '{ company { documentAttachments { nodes { fileName content { url name } } } } }',
    );

    const attachments: Json[] = data.company.documentAttachments.nodes;
    expect(attachments.map(({ content }) => content.name)).toEqual([
      'a_; filename=_b.exe',
      'a__set-cookie_ x=1',
      '__.._etc_passwd',
      '_gpj.exe',
      'x'.repeat(250),
    ]);
    for (const { content } of attachments) {
      await sandbox.fault({ path: '/attachmentContent', status: 200, body: { any: 'thing' } });
      const { headers } = await fetch(layer.url + content.url, { headers: { authorization } });
      expect(headers.get('set-cookie')).toBeNull();
      expect(headers.get('content-disposition')).toMatch(
        /^attachment; filename="[\w.-]+"; filename\*=UTF-8''[\w.~!%-]+$/,
      );
    }
  },
);
