import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, describe, expect } from 'vitest';
import { type AddArguments, AddingError, addRecordType } from '../../../src/adding/add.ts';
import { documentOf, knownType } from '../../support/cases/metadata.ts';
import { fixture } from '../../support/fixture.ts';
import { type StubAnswer, startStub } from '../../support/stub.ts';

const csdl = documentOf(
  `<EntityType Name="resource"><Key><PropertyRef Name="id"/></Key><Property Name="id" Type="Edm.Guid" Nullable="false"/>
   <Property Name="displayName" Type="Edm.String" MaxLength="100"/></EntityType>`,
  '<EntitySet Name="resources" EntityType="Test.resource"/>',
);
// Whatever moves the cursor of a terminal, or reorders text.
const unprintable = /\p{Cf}|(?!\n)\p{Cc}/u;

const test = base.extend(
  'adding',
  fixture(async ({ onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'adding-'));
    onCleanup(() => rmSync(folder, { recursive: true }));
    const metadata = join(folder, 'metadata.xml');
    writeFileSync(metadata, csdl);
    const out = join(folder, 'records');
    return {
      folder,
      out,
      metadata,
      /** How the command ends, and what it says. */
      async add(args: Partial<AddArguments> = {}) {
        let text = '';
        const print = (line: string) => {
          text += `${line}\n`;
        };
        const known = [knownType('Customer', 'customers')];
        const source = args.url === undefined ? { metadata } : {};
        try {
          await addRecordType(
            { entitySet: 'resources', out, ...source, ...args },
            { known, fetch: (url, init) => fetch(url, init), print },
          );
          return { code: 0, text, error: '' };
        } catch (error) {
          if (!(error instanceof AddingError)) throw error;
          return { code: error.exitCode, text, error: error.message };
        }
      },
    };
  }),
);

test('writes one file, and lists what a person has to review', async ({ adding }) => {
  const { code, text } = await adding.add();

  expect(code).toBe(0);
  expect(readFileSync(join(adding.out, 'resources.graphql'), 'utf8')).toMatch(
    /^# It is read only: .*\n(# .*\n)+\n"A resource\."\ntype Resource @record\(set: "resources"\) \{\n {2}"Display name\."\n {2}displayName: String\n\}\n$/,
  );
  expect(readdirSync(adding.out)).toEqual(['resources.graphql']);
  expect(text).toMatch(
    /^Wrote .*resources\.graphql\. Review it before RECORD_TYPES names it:\n- It is read only: /,
  );
});

test('a file that exists is not overwritten', async ({ adding }) => {
  await adding.add();
  writeFileSync(join(adding.out, 'resources.graphql'), 'by hand');

  const { code, error } = await adding.add();

  expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('is not overwritten') });
  expect(readFileSync(join(adding.out, 'resources.graphql'), 'utf8')).toBe('by hand');
});

test.for([
  ['no source', { metadata: undefined }, '--metadata'],
  ['two sources', { metadata: 'x', url: 'http://127.0.0.1:9' }, '--metadata'],
  ['an entity set of the graph', { entitySet: 'customers' }, 'is the type Customer of the graph already'],
  ['a path for a name', { entitySet: '../../x' }, 'not the name of an entity set'],
  ['a name that JavaScript inherits', { entitySet: '__proto__' }, 'not the name of an entity set'],
  ['another protocol', { url: 'file:///etc/passwd' }, 'http or https'],
  ['credentials in the URL', { url: 'https://me:hunter2@api.example' }, 'Remove them'],
  ['a query in the URL', { url: 'https://api.example?a=b' }, 'without it'],
  ['a route that is a path', { route: '../v2.0' }, '--route'],
  ['two routes', { url: 'https://api.example/api/v2.0', route: 'v1.0' }, 'Leave out one of them'],
  ['a token without a service', { tokenFile: 'x' }, '--url'],
  ['a file that is not there', { metadata: '/nowhere.xml' }, 'cannot be read: ENOENT'],
] as const)('wrong arguments end with 2: %s', async ([, args, said], { adding }) => {
  const { code, error } = await adding.add(args as Partial<AddArguments>);

  expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(said) });
  expect(error).not.toContain('hunter2');
  expect(readdirSync(adding.folder)).toEqual(['metadata.xml']);
});

test('metadata that no file can be made of is refused, and names of it move no cursor', async ({
  adding,
}) => {
  writeFileSync(adding.metadata, csdl.replace('Name="resource"', 'Name="re\u202e\u2028\u009b2Jsource"'));
  const refused = await adding.add();
  writeFileSync(
    adding.metadata,
    csdl.replace('</EntityType>', '<NavigationProperty Name="a\u202e\u009b2J" Type="Test.x"/></EntityType>'),
  );
  const added = await adding.add();

  expect(refused).toMatchObject({
    code: 1,
    error: expect.stringMatching(/^resources cannot be added: the metadata has no entity type/),
  });
  expect(added.code).toBe(0);
  expect(refused.error + added.text).not.toMatch(unprintable);
});

describe('a service', () => {
  const ask = async (
    add: (args: Partial<AddArguments>) => Promise<{ code: number; error: string }>,
    answer: () => StubAnswer | Promise<StubAnswer>,
    args: Partial<AddArguments> = {},
  ) => {
    const stub = await startStub(answer);
    const { code, error } = await add({ url: stub.url, ...args });
    stub.stop();
    return { code, error, requests: stub.requests };
  };

  test('is asked for $metadata of the route by one call, with the token', async ({ adding }) => {
    const tokenFile = join(adding.folder, 'token.txt');
    writeFileSync(tokenFile, 'secret-token\n');
    const { code, requests } = await ask(adding.add, () => ({ body: csdl }), {
      tokenFile,
      route: 'contoso/app/v1.0',
    });

    expect(code).toBe(0);
    expect(requests.map(({ target, headers }) => [target, headers.authorization])).toEqual([
      ['/api/contoso/app/v1.0/$metadata', 'Bearer secret-token'],
    ]);
  });

  test('that redirects is not followed: the token is for its address only', async ({ adding }) => {
    const { code, error, requests } = await ask(adding.add, () => ({
      status: 302,
      headers: { location: '/x' },
    }));

    expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('which is not followed') });
    expect(requests).toHaveLength(1);
  });

  test.for([
    [401, 'Put a valid one in --token-file'],
    [403, 'permission'],
    [404, 'Check --url and --route'],
    [429, 'responded with 429'],
  ] as const)('that answers %i is told', async ([status, said], { adding }) => {
    expect(await ask(adding.add, () => ({ status }))).toMatchObject({
      code: 1,
      error: expect.stringContaining(said),
    });
  });

  test('that answers with a sign-in page, or breaks the connection, is told', async ({ adding }) => {
    expect((await ask(adding.add, () => ({ body: '<!DOCTYPE html><html/>' }))).error).toContain('HTML page');
    expect((await ask(adding.add, () => ({ isCut: true }))).error).toMatch(/^No answer from http:/);
  });
});
