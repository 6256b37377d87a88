import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Package {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const manifest = read('package.json');
const lock: { readonly packages: Readonly<Record<string, Package>> } = read('package-lock.json');

/** Every package by its place below `node_modules`; the same one can have several. */
const all = Object.entries(lock.packages).filter(([place]) => place !== '');
const nameAt = (place: string) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
const shipped = all.filter(([, { dev }]) => !dev);

test('there is one graphql', () => {
  expect(all.filter(([place]) => nameAt(place) === 'graphql').map(([place]) => place)).toEqual([
    'node_modules/graphql',
  ]);
});

const permissive = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
]);
// A choice (`OR`) is none of them, so that somebody looks at it.
const isPermissive = (license: unknown) =>
  typeof license === 'string' &&
  license
    .replace(/[()]/g, '')
    .split(' AND ')
    .every((one) => permissive.has(one));

const restrictive =
  /Elastic License|Server Side Public License|Business Source License|Commons Clause|GNU (?:Affero |Lesser )?General Public/i;

/** What the lock file says of a package's licence, and, where it is installed, its manifest and the texts beside it. */
function licensesOf([place, { license }]: readonly [string, Package]): unknown[] {
  if (!existsSync(place)) return [license];
  const texts = readdirSync(place).filter((file) => /^(licen[cs]e|copying)/i.test(file));
  const restrictions = texts.flatMap(
    (file) => restrictive.exec(readFileSync(`${place}/${file}`, 'utf8')) ?? [],
  );
  return [license, read(`${place}/package.json`).license, ...restrictions];
}

test('whoever gets what is shipped may use, change and sell it: its licences are permissive', () => {
  const found = shipped.filter((one) => !licensesOf(one).every(isPermissive));

  expect(found.map((one) => [one[0], ...licensesOf(one)])).toEqual([]);
  expect(manifest.license).toBe('MIT');
});

test('the libraries in the bundle of the explorer are permissive, and their licences are beside it', () => {
  const texts = readFileSync('dist/browser/libraries-licences.txt', 'utf8');
  const bundled = [...texts.matchAll(/^(\S+) (\d+\.\d+\.\d+): (.*)$/gm)];

  expect(bundled.map(([, name]) => name)).toEqual(
    expect.arrayContaining([
      '@codemirror/view',
      'cm6-graphql',
      'graphql',
      'graphql-language-service',
      'style-mod',
    ]),
  );
  for (const [line, , , license] of bundled) expect([line, isPermissive(license)]).toEqual([line, true]);
  expect(texts.match(/Permission is hereby granted/g)).toHaveLength(bundled.length);
  expect(texts).not.toMatch(restrictive);
});

test('versions are exact, in the manifest and of what it puts in the place of others', () => {
  const { dependencies, devDependencies, overrides } = manifest;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...overrides }))
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
});

test('packages come from the registry, each with a digest, and from nowhere else', () => {
  expect(all.length).toBeGreaterThan(300);
  for (const [place, { version, integrity, resolved, link, dependencies }] of all) {
    expect(integrity, place).toMatch(/^sha512-[\w+/]{86}==$/);
    expect(version, place).toMatch(/^\d+\.\d+\.\d+(-[\w.-]+)?$/);
    expect(link, place).toBeUndefined();
    if (resolved !== undefined) expect(resolved, place).toMatch(/^https:\/\/registry\.npmjs\.org\//);
    for (const wanted of Object.values(dependencies ?? {}))
      expect(wanted, place).not.toMatch(/^(git|github:|https?:|file:|ssh:|[\w-]+\/)/);
  }
});
