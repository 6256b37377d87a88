import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });
const routes = [
  ['v2.0', company],
  ['contoso/app/v1.0', company.replace('v2.0', 'contoso/app/v1.0')],
] as const;

/** The text of the first element of a type with a name. */
function elementOf(xml: string, type: string, name: string): string {
  return new RegExp(`<${type} Name="${name}"[^>]*>.*?</${type}>`, 's').exec(xml)?.[0] ?? '';
}
const namesOf = (xml: string, type: string) =>
  [...xml.matchAll(new RegExp(`<${type} Name="([^"]*)"`, 'g'))].map(([, name = '']) => name);
/** The sets with their entity types; lines cannot be listed by themselves. */
const setsOf = (xml: string) =>
  [...xml.matchAll(/<EntitySet Name="(\w+)" EntityType="Microsoft\.NAV\.(\w+)">/g)]
    .map(([, set = '', type = '']) => ({ set, entity: elementOf(xml, 'EntityType', type) }))
    .filter(({ set }) => !/Lines$/.test(set));

describe.each([
  ['document', document],
  ['dynamics', dynamics],
] as const)('$metadata of %s', (_dialect, sandbox) => {
  const read = async (route = 'v2.0') => (await sandbox.get(`/api/${route}/$metadata`)).text;

  test('A.metadata.1 It is XML of CSDL 4.0 for callers with a token, and cannot be changed', async () => {
    const path = '/api/v2.0/$metadata';
    const { status, headers, text } = await sandbox.get(path);

    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml']);
    expect(text).toMatch(/^<\?xml version="1\.0" encoding="utf-8"\?>\n<edmx:Edmx Version="4\.0" /);
    expect((await fetch(sandbox.url + path)).status).toBe(401);
    expect((await sandbox.post(path, {})).status).toBe(405);
    expect((await sandbox.get('/api/v1.0/$metadata')).status).toBe(404);
    expect((await sandbox.journal())[0]).toMatchObject({ method: 'GET', path, status: 200 });
  });

  test.each(routes)(
    'A.metadata.2 The records of every set of %s have exactly its properties',
    async (route, root) => {
      const xml = await read(route);
      for (const { set, entity } of setsOf(xml)) {
        const [one] = await sandbox.list(`${root}/${set}?$top=1`);
        const properties = [...entity.matchAll(/<Property Name="(\w+)" Type="(?!Edm\.Stream)/g)].map(
          ([, name]) => name,
        );

        expect(
          Object.keys(one).filter((name) => !name.startsWith('@') && name !== 'documentLines'),
          set,
        ).toEqual(properties);
        expect(properties).toEqual(expect.arrayContaining(namesOf(entity, 'PropertyRef')));
      }
      const declared = ['EntityType', 'EnumType'].flatMap((type) => namesOf(xml, type));
      const named = [...xml.matchAll(/Type="(?:Collection\()?Microsoft\.NAV\.(\w+)/g)].map(
        ([, name]) => name,
      );
      expect(new Set(declared).size).toBe(declared.length);
      expect(declared).toEqual(expect.arrayContaining(named));
    },
  );
});
