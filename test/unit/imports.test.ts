import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';
import { expect, test } from 'vitest';

/**
 * The folders and single files of `src`, from the top down. A module imports from its own folder and from the levels
 * below. Folders of one level never import each other. `src/generated` holds types only and is exempt.
 */
const levels = [
  ['main.ts', 'index.ts'],
  ['commands'],
  ['app', 'adding'],
  ['observation'],
  ['server', 'config'],
  ['business', 'instances', 'health', 'changes'],
  ['graph', 'operations', 'odata'],
  ['http'],
  ['runtime'],
  ['errors.ts', 'mcp'],
];

/** The same for the folders of area A. */
const businessLevels = [
  ['declarations'],
  ['items', 'mutations'],
  ['records'],
  ['writing'],
  ['reading'],
  ['record-sets'],
];

/** The same for the sandbox. */
const sandboxLevels = [
  ['sandbox.ts'],
  ['control', 'management.ts', 'seed.ts'],
  ['faults', 'health', 'webhooks'],
  ['journal.ts'],
  ['business', 'instances', 'tokens'],
  ['management-requests.ts', 'seeded.ts'],
  ['bearer.ts', 'json-checks.ts'],
  ['http.ts', 'api-error.ts'],
  ['json.ts'],
];

/** npm packages that only some folders import. Packages that are not listed may be imported anywhere. */
const packageOwners: readonly (readonly [name: RegExp, owners: readonly string[]])[] = [
  [
    /^(fastify|@fastify\/.*|@as-integrations\/.*|@apollo\/server|ws|graphql-ws|graphql-sse)$/,
    ['server', 'index.ts'],
  ],
  [/^(prom-client|@opentelemetry\/.*)$/, ['observation']],
  [/^undici$/, ['http']],
  [/^ioredis$/, ['operations']],
  [/^dataloader$/, ['business']],
  [/^saxes$/, ['adding']],
  [/^commander$/, ['commands']],
  [/^@modelcontextprotocol\/server$/, ['mcp', 'commands']],
];

const root = fileURLToPath(new URL('../../', import.meta.url));
const src = join(root, 'src');

interface Import {
  /** Relative to the project, or as written for a package. */
  readonly target: string;
  readonly isPackage: boolean;
  /** False for types, and for `import()`. */
  readonly isLoadedAtStart: boolean;
}

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('dist'))
    .map((file) => relative(root, join(folder, file)));

function importsOf(file: string): Import[] {
  const { program, errors } = parseSync(file, readFileSync(join(root, file), 'utf8'));
  expect(errors).toEqual([]);
  const imports: Import[] = [];
  const add = (
    node: { readonly type: string; readonly value?: unknown } | null,
    isLoadedAtStart: boolean,
  ) => {
    if (typeof node?.value !== 'string' || node.value.startsWith('node:')) return;
    const isPackage = !node.value.startsWith('.');
    const target = isPackage ? node.value : relative(root, resolve(root, dirname(file), node.value));
    imports.push({ target, isPackage, isLoadedAtStart });
  };
  new Visitor({
    ImportDeclaration: ({ source, importKind }) => add(source, importKind !== 'type'),
    ExportNamedDeclaration: ({ source, exportKind }) => add(source, exportKind !== 'type'),
    ExportAllDeclaration: ({ source, exportKind }) => add(source, exportKind !== 'type'),
    TSModuleDeclaration: ({ id }) => add(id, false),
    TSImportType: ({ source }) => add(source, false),
    ImportExpression: ({ source }) => add(source, false),
  }).visit(program);
  return imports;
}

const readModules = (folder: string) => new Map(filesOf(folder).map((file) => [file, importsOf(file)]));
const modules = readModules(src);
const sandboxModules = readModules(join(root, 'sandbox'));

/** `src/server/load/shedding.ts` is in `server`, `src/main.ts` in `main.ts`. */
const folderOf = (file: string) => file.split('/')[1] ?? '';
const businessFolderOf = (file: string) => file.split('/')[2] ?? '';
const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** Says which rule an import breaks, or null. */
function brokenRule(from: string, { target, isPackage, isLoadedAtStart }: Import): string | null {
  const folder = folderOf(from);
  if (isPackage) {
    if (target === '#sandbox')
      return folder === 'commands' && !isLoadedAtStart
        ? null
        : 'only src/commands starts the sandbox, by import()';
    const name = packageOf(target);
    const owners = packageOwners.find(([pattern]) => pattern.test(name))?.[1] ?? [folder];
    return owners.includes(folder) ? null : `only src/${owners.join(', src/')} imports ${name}`;
  }
  if (!target.startsWith('src/')) return 'src imports nothing outside of src';
  const other = folderOf(target);
  if ([folder, other].includes('generated')) return null;
  if (folder === 'business' && other === 'business')
    return brokenDirection(businessLevels, businessFolderOf(from), businessFolderOf(target));
  return brokenDirection(levels, folder, other);
}

function brokenDirection(table: readonly string[][], from: string, to: string): string | null {
  if (from === to) return null;
  const [above, below] = [from, to].map((name) => table.findIndex((folders) => folders.includes(name)));
  if (above === below) return `${from} and ${to} are of one level: share code through a level below`;
  return (above as number) < (below as number) ? null : `${to} is above ${from}: imports go downwards only`;
}

test('every folder of src and of area A has a level', () => {
  const files = [...modules.keys()].filter((file) => folderOf(file) !== 'generated');
  const ofBusiness = files.filter((file) => folderOf(file) === 'business');

  expect([...new Set(files.map(folderOf))].sort()).toEqual(levels.flat().sort());
  expect([...new Set(ofBusiness.map(businessFolderOf))].sort()).toEqual(businessLevels.flat().sort());
});

test('imports of src go downwards, and each package is imported by its folder only', () => {
  const broken = [...modules].flatMap(([file, imports]) =>
    imports.flatMap((each) => {
      const rule = brokenRule(file, each);
      return rule === null ? [] : [`${file} imports ${each.target}: ${rule}`];
    }),
  );

  expect(broken).toEqual([]);
});

test('imports of the sandbox go downwards', () => {
  const broken = [...sandboxModules].flatMap(([file, imports]) =>
    imports.flatMap(({ target, isPackage }) => {
      const rule = isPackage ? null : brokenDirection(sandboxLevels, folderOf(file), folderOf(target));
      return rule === null ? [] : [`${file} imports ${target}: ${rule}`];
    }),
  );

  expect(broken).toEqual([]);
});

test('no modules of src or the sandbox import each other in a cycle, not even types', () => {
  const all = new Map([...modules, ...sandboxModules]);
  const states = new Map<string, 'visiting' | 'done'>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (states.get(file) === 'done') return;
    if (states.get(file) === 'visiting') {
      cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      return;
    }
    states.set(file, 'visiting');
    // Generated types refer to the types of records, and resolvers to both.
    const next = folderOf(file) === 'generated' ? [] : (all.get(file) ?? []);
    for (const { target } of next) if (all.has(target)) visit(target, [...path, file]);
    states.set(file, 'done');
  };
  for (const file of all.keys()) visit(file, []);

  expect(cycles).toEqual([]);
});

test('the sandbox imports nothing of src, and none of its packages: they meet over HTTP only', () => {
  const isForeign = ({ target, isPackage }: Import) =>
    isPackage
      ? packageOwners.some(([pattern]) => pattern.test(packageOf(target)))
      : !target.startsWith('sandbox/');
  const broken = [...sandboxModules].flatMap(([file, imports]) =>
    imports.filter(isForeign).map(({ target }) => `${file} imports ${target}`),
  );

  expect(broken).toEqual([]);
});
