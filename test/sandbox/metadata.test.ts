import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });
const custom = '/api/contoso/app/v1.0';

/** The text of the first element of a type with a name. */
function elementOf(xml: string, type: string, name: string): string {
  return new RegExp(`<${type} Name="${name}"[^>]*>.*?</${type}>`, 's').exec(xml)?.[0] ?? '';
}
const namesOf = (xml: string, type: string) =>
  [...xml.matchAll(new RegExp(`<${type} Name="([^"]*)"`, 'g'))].map(([, name = '']) => name);

describe.each([
  ['document', document],
  ['dynamics', dynamics],
] as const)('$metadata of %s', (dialect, sandbox) => {
  const read = async (route: string) => (await sandbox.get(`/api/${route}/$metadata`)).text;

  test('A.metadata.1 It is XML of CSDL 4.0 for callers with a token, and cannot be changed', async () => {
    for (const route of ['v2.0', 'contoso/app/v1.0']) {
      const path = `/api/${route}/$metadata`;
      const { status, headers, text } = await sandbox.get(path);

      expect([status, headers.get('content-type')]).toEqual([200, 'application/xml']);
      expect(text).toMatch(/^<\?xml version="1\.0" encoding="utf-8"\?>\n<edmx:Edmx Version="4\.0" /);
      expect(text).toContain('<Schema Namespace="Microsoft.NAV" ');
      expect((await fetch(sandbox.url + path)).status).toBe(401);
      expect((await sandbox.post(path, {})).status).toBe(405);
    }
    const { body } = await sandbox.get('/sandbox/journal');
    expect(body.requests[0]).toMatchObject({ method: 'GET', path: '/api/v2.0/$metadata', status: 200 });
  });

  test('A.metadata.2 The records of every set have exactly its properties, and its key', async () => {
    for (const [route, root] of [
      ['v2.0', company],
      ['contoso/app/v1.0', company.replace('/api/v2.0', custom)],
    ] as const) {
      const xml = await read(route);
      for (const [, set = '', type = ''] of xml.matchAll(
        /<EntitySet Name="(\w+)" EntityType="Microsoft\.NAV\.(\w+)">/g,
      )) {
        const isLines = /Lines$/.test(set);
        const [one] = isLines ? [] : await sandbox.list(`${root}/${set}?$top=1`);
        const entity = elementOf(xml, 'EntityType', type);
        const properties = [...entity.matchAll(/<Property Name="(\w+)" Type="(?!Edm\.Stream)/g)];
        const names = properties.map(([, name = '']) => name);

        expect(
          namesOf(entity, 'PropertyRef').every((name) => names.includes(name)),
          set,
        ).toBe(true);
        if (!one) continue;
        const own = Object.keys(one).filter((name) => !name.startsWith('@') && name !== 'documentLines');
        expect(own, set).toEqual(names);
      }
    }
  });

  test('A.metadata.3 Every relation of a set can be expanded', async () => {
    const xml = await read('v2.0');
    for (const [, set = '', type = ''] of xml.matchAll(
      /<EntitySet Name="(\w+)" EntityType="Microsoft\.NAV\.(\w+)">/g,
    )) {
      const entity = elementOf(xml, 'EntityType', type);
      const relations = [...entity.matchAll(/<NavigationProperty Name="(\w+)" Type="([^"]+)"/g)];
      if (relations.length === 0 || /Lines$/.test(set)) continue;
      const expand = relations.map(([, name]) => name).join(',');
      const [one] = await sandbox.list(`${company}/${set}?$top=1&$expand=${expand}`);

      for (const [, name = '', target = ''] of relations)
        expect(Array.isArray(one[name]), `${set}.${name}`).toBe(target.startsWith('Collection('));
    }
  });

  test('A.metadata.4 Every type that is named is declared', async () => {
    for (const route of ['v2.0', 'contoso/app/v1.0']) {
      const xml = await read(route);
      const declared = ['EntityType', 'EnumType'].flatMap((type) => namesOf(xml, type));
      const named = [...xml.matchAll(/Type="(?:Collection\()?Microsoft\.NAV\.(\w+)/g)].map(
        ([, name]) => name,
      );

      expect(new Set(declared).size).toBe(declared.length);
      expect(named.filter((name) => !declared.includes(String(name)))).toEqual([]);
    }
  });

  test('A.metadata.5 Words are enums with encoded members; v1.0 has no metadata', async () => {
    const xml = await read('v2.0');

    expect(namesOf(elementOf(xml, 'EnumType', 'purchaseOrderStatus'), 'Member')).toEqual([
      'Draft',
      'In_x0020_Review',
      'Open',
    ]);
    expect(namesOf(elementOf(xml, 'EnumType', 'vendorBlocked'), 'Member')).toEqual([
      '_x0020_',
      'Payment',
      'All',
    ]);
    expect((await sandbox.get('/api/v1.0/$metadata')).status).toBe(404);
  });

  test('A.metadata.6 Relations name their columns', async () => {
    const order = elementOf(await read('v2.0'), 'EntityType', 'purchaseOrder').replaceAll(/\n\s*/g, '');

    expect(order).toContain(
      '<NavigationProperty Name="paymentTerm" Type="Microsoft.NAV.paymentTerm" ContainsTarget="true"><ReferentialConstraint Property="paymentTermsId" ReferencedProperty="id" />',
    );
    expect(order).toContain(
      '<NavigationProperty Name="purchaseOrderLines" Type="Collection(Microsoft.NAV.purchaseOrderLine)" ContainsTarget="true"><ReferentialConstraint Property="id" ReferencedProperty="documentId" />',
    );
  });

  test('A.metadata.8 Actions, files and navigations are told', async () => {
    const xml = await read('v2.0');

    expect(xml.includes('<Action Name="shipAndInvoice" IsBound="true">')).toBe(true);
    expect(xml.includes('<Property Name="attachmentContent" Type="Edm.Stream" />')).toBe(true);
    expect(elementOf(xml, 'EntityType', 'vendor').includes('"purchaseOrders"')).toBe(dialect === 'document');
  });

  test('A.metadata.9 What a set can be written by is what it says', async () => {
    const xml = await read('v2.0');
    for (const set of ['vendors', 'purchaseOrders', 'purchaseInvoices', 'companyInformation', 'accounts']) {
      const said = [...elementOf(xml, 'EntitySet', set).matchAll(/"(\w+able)" Bool="(\w+)"/g)];
      const [{ id }] = await sandbox.list(`${company}/${set}?$top=1`);
      const replies = {
        Insertable: await sandbox.post(`${company}/${set}`, {}),
        Updatable: await sandbox.patch(`${company}/${set}(${id})`, '"none"', {}),
        Deletable: await sandbox.send('DELETE', `${company}/${set}(${id})`, {
          headers: { 'if-match': '"none"' },
        }),
      };

      for (const [name, { status }] of Object.entries(replies))
        expect(said.find(([, one]) => one === name)?.[2], `${set} ${name}`).toBe(String(status !== 405));
    }
  });
});
