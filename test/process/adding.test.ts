import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base, expect } from 'vitest';
import { documentOf } from '../support/cases/metadata.ts';
import { fixture } from '../support/fixture.ts';
import { runTributary, startProcess } from '../support/process.ts';
import { startStub } from '../support/stub.ts';

const test = base.extend(
  'folder',
  fixture(async ({ onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-add-'));
    onCleanup(() => rmSync(folder, { recursive: true }));
    return folder;
  }),
);

test('add --help shows examples, and wrong arguments end with 2 and one sentence', async () => {
  const help = await runTributary(['add', '--help']);
  const wrong = await runTributary(['add', 'vendors']);

  expect(help.code).toBe(0);
  expect(help.stdout).toContain('tributary add vendors --metadata metadata.xml');
  expect(wrong).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Name the metadata with --metadata <file>, or the service with --url <url>.\n',
  });
});

test.for([
  ['add'],
  ['add', 'vendors', '--nonsense'],
  ['add', 'vendors', '--metadata'],
  ['check', '--nonsense'],
  ['serve', 'more'],
])('%j are wrong arguments, which end with 2', async (args) => {
  const { code, stdout, stderr } = await runTributary(args);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^error: .+\n$/);
});

test('a token is in no output and in no file, whatever the service does with it', async ({ folder }) => {
  const token = 'token-0123456789-of-the-test';
  const tokenFile = join(folder, 'token.txt');
  writeFileSync(tokenFile, token);
  const stub = await startStub(({ headers }) => ({
    status: 418,
    body: { error: { code: 'Any', message: `You sent ${String(headers.authorization)}` } },
  }));

  const { code, stdout, stderr } = await runTributary([
    ...['add', 'vendors', '--json', '--out', folder, '--url', stub.url, '--token-file', tokenFile],
  ]);
  stub.stop();

  expect(stub.requests[0]?.headers.authorization).toBe(`Bearer ${token}`);
  expect(code).toBe(1);
  expect(stderr).toContain('the service responded with 418');
  expect(stdout + stderr).not.toContain(token);
  expect(readFileSync(tokenFile, 'utf8')).toBe(token);
});

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What a service says of an entity set that takes all writes. */
const capabilities = ['Insert', 'Update', 'Delete']
  .map((verb) => {
    const property = `<PropertyValue Property="${verb.replace(/e$/, '')}able" Bool="true"/>`;
    return `<Annotation Term="Org.OData.Capabilities.V1.${verb}Restrictions"><Record>${property}</Record></Annotation>`;
  })
  .join('');

/** A service with keys of two columns, of a text and of a number that it counts itself, and with rows. */
const shop = documentOf(
  `<EntityType Name="depot"><Key><PropertyRef Name="regionCode"/><PropertyRef Name="slot"/></Key>
    <Property Name="regionCode" Type="Edm.String" Nullable="false" MaxLength="10"/>
    <Property Name="slot" Type="Edm.Int32" Nullable="false"/>
    <Property Name="displayName" Type="Edm.String" MaxLength="100"/></EntityType>
  <EntityType Name="shelf"><Key><PropertyRef Name="number"/></Key>
    <Property Name="number" Type="Edm.String" Nullable="false" MaxLength="20"/>
    <Property Name="opened" Type="Edm.Date"/></EntityType>
  <EntityType Name="ticket"><Key><PropertyRef Name="entryNo"/></Key>
    <Property Name="entryNo" Type="Edm.Int32" Nullable="false"><Annotation Term="Org.OData.Core.V1.Computed" Bool="true"/></Property>
    <Property Name="shelfNumber" Type="Edm.String" MaxLength="20"/>
    <NavigationProperty Name="shelf" Type="Test.shelf"><ReferentialConstraint Property="shelfNumber" ReferencedProperty="number"/></NavigationProperty></EntityType>
  <EntityType Name="basket"><Key><PropertyRef Name="id"/></Key>
    <Property Name="id" Type="Edm.Guid" Nullable="false"/>
    <Property Name="number" Type="Edm.String" MaxLength="20"/>
    <NavigationProperty Name="basketItems" Type="Collection(Test.basketItem)" ContainsTarget="true"/></EntityType>
  <EntityType Name="basketItem"><Key><PropertyRef Name="lineNo"/></Key>
    <Property Name="lineNo" Type="Edm.Int32" Nullable="false"/>
    <Property Name="quantity" Type="Edm.Decimal"/></EntityType>`,
  ['depots depot', 'shelves shelf', 'tickets ticket', 'baskets basket']
    .map((one) => one.split(' '))
    .map(([set, type]) => `<EntitySet Name="${set}" EntityType="Test.${type}">${capabilities}</EntitySet>`)
    .join('\n'),
);

const reading = `{ company {
  depots(first: 5, orderBy: [{ field: SLOT, direction: DESC }]) { totalCount nodes { id slot displayName } }
  depot(id: "regionCode='DEP20',slot=2") { slot }
  shelf(id: "SHE10") { number opened }
  tickets(first: 5) { nodes { id shelf { number } } }
  baskets(first: 5, orderBy: [{ field: NUMBER }]) { nodes { number basketItems { lineNo quantity } } }
} }`;
const writing = `mutation {
  createDepot(input: { regionCode: "NORTH", slot: 7, displayName: "Attic" }) { depot { id displayName } userErrors { message } }
  createShelf(input: { number: "S-1" }) { shelf { id } userErrors { message } }
  createTicket(input: { shelfNumber: "SHE20" }) { ticket { id shelf { opened } } userErrors { message } }
  createBasket(input: { number: "B-1", basketItems: [{ lineNo: 1, quantity: "2.5" }, { lineNo: 2 }] }) {
    basket { number basketItems { lineNo quantity } } userErrors { message }
  }
  updateDepot(input: { id: "regionCode='DEP10',slot=1", ifMatch: "*", patch: { displayName: "Cellar" } }) {
    depot { displayName } userErrors { message }
  }
  deleteShelf(input: { id: "SHE30", ifMatch: "*" }) { deletedId userErrors { message } }
}`;

async function ask(graph: string, query: string): Promise<unknown> {
  const response = await fetch(graph, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox' },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

test('sets of another route, with other keys and with rows, are served by the sandbox of the checkout', async ({
  folder,
}) => {
  for (const path of ['browser', 'dist', 'package.json', 'sandbox', 'schema', 'tsconfig.json', 'docs'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  const { vcs: _vcs, ...biome } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
  writeFileSync(join(folder, 'biome.json'), JSON.stringify(biome));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'shop.xml'), shop);
  const run = (...args: string[]) => startProcess(process.execPath, args, {}, folder);

  const added = await run(
    ...['dist/main.js', 'add', 'depots', 'shelves', 'tickets', 'baskets'],
    ...['--metadata', 'shop.xml', '--route', 'acme/shop/v2.0'],
  ).ended;
  const built = await run('node_modules/typescript/bin/tsc', '-p', 'sandbox').ended;
  const checked = await run('node_modules/@biomejs/biome/bin/biome', 'ci', 'sandbox/business').ended;
  const answers: { readonly read: unknown; readonly written: unknown }[] = [];
  for (const dialect of ['document', 'dynamics']) {
    const running = startProcess(
      process.execPath,
      ['dist/main.js', 'dev'],
      { PORT: '0', SANDBOX_PORT: '0', BUSINESS_DIALECT: dialect },
      folder,
    );
    const graph = /Graph +(\S+)/.exec(await running.printed(/Graph.*\n/))?.[1] ?? '';
    answers.push({ read: await ask(graph, reading), written: await ask(graph, writing) });
    await running.stop();
  }

  expect({ ...added, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(added.stdout).not.toMatch(/no set made|takes no/);
  expect(built).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(checked).toMatchObject({ code: 0 });
  const expected = {
    read: {
      data: {
        company: {
          depots: {
            totalCount: 3,
            nodes: [3, 2, 1].map((slot) => ({
              id: `regionCode='DEP${slot}0',slot=${slot}`,
              slot,
              displayName: expect.stringContaining('depots'),
            })),
          },
          depot: { slot: 2 },
          shelf: { number: 'SHE10', opened: '2024-03-15' },
          tickets: { nodes: [1, 2, 3].map((id) => ({ id: `${id}`, shelf: { number: `SHE${id}0` } })) },
          baskets: {
            nodes: [1, 2, 3].map((count) => ({
              number: `BAS${count}0`,
              basketItems: Array.from({ length: count }, (_, index) => ({
                lineNo: index + 1,
                quantity: `${index}.5`,
              })),
            })),
          },
        },
      },
    },
    written: {
      data: {
        createDepot: { depot: { id: "regionCode='NORTH',slot=7", displayName: 'Attic' }, userErrors: [] },
        createShelf: { shelf: { id: 'S-1' }, userErrors: [] },
        createTicket: { ticket: { id: '4', shelf: { opened: '2024-04-15' } }, userErrors: [] },
        createBasket: {
          basket: {
            number: 'B-1',
            basketItems: [
              { lineNo: 1, quantity: '2.5' },
              { lineNo: 2, quantity: '0' },
            ],
          },
          userErrors: [],
        },
        updateDepot: { depot: { displayName: 'Cellar' }, userErrors: [] },
        deleteShelf: { deletedId: 'SHE30', userErrors: [] },
      },
    },
  };
  expect(answers).toEqual([expected, expected]);
});

test('a type that is called like an interface of the graph gets another name, which check accepts', async ({
  folder,
}) => {
  const metadata = join(folder, 'metadata.xml');
  const type =
    '<EntityType Name="SalesDocument"><Key><PropertyRef Name="id"/></Key><Property Name="id" Type="Edm.Guid"/></EntityType>';
  const set = '<EntitySet Name="salesDocuments" EntityType="Test.SalesDocument"/>';
  writeFileSync(metadata, documentOf(type, set));

  const added = await runTributary([
    ...['add', 'salesDocuments', '--json', '--out', folder, '--metadata', metadata],
  ]);
  const checked = await runTributary(['check'], {
    BUSINESS_URL: 'https://business.example',
    RECORD_TYPES: join(folder, 'salesDocuments.json'),
  });

  expect(added.code).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, 'salesDocuments.json'), 'utf8')).type).toBe('SalesDocument2');
  expect(checked).toMatchObject({ code: 0, stderr: '' });
});
