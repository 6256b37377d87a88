import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { linkPackages } from '../support/deployment/image.ts';
import { startProcess } from '../support/process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
// Code is generated and compiled in it.
const buildTimeout = 300_000;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const run = (command: string, folder: string) =>
  startProcess('bash', ['-euo', 'pipefail', '-c', command], {}, folder).ended;

let checkout: string;
const release = (args: string) => run(`npm run --silent release -- ${args}`, checkout);
const textOf = (path: string) => readFileSync(join(checkout, path), 'utf8');
const commit = () =>
  run(
    'git add --all && git -c user.name=test -c user.email=test@example.com commit --quiet -m All',
    checkout,
  );

beforeEach(async () => {
  checkout = temporaryFolder();
  const { stdout } = await run('git ls-files --cached --others --exclude-standard --deduplicate', root);
  const present = stdout.split('\n').filter((path) => path !== '' && !path.startsWith('docs/images/'));
  for (const path of present) cpSync(join(root, path), join(checkout, path));
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  expect(await run('git init --quiet', checkout)).toMatchObject({ code: 0 });
  expect(await commit()).toMatchObject({ code: 0 });
});

test(
  'a release has its version, changelog, schema and SBOM, and its package answers a query in an empty folder',
  async () => {
    const before = textOf('CHANGELOG.md');
    const { code, stderr } = await release('9.0.0');
    expect(code, stderr).toBe(0);

    const { stdout: changed } = await run('git status --porcelain --untracked-files=all', checkout);
    expect(changed.split('\n').filter(Boolean).sort()).toEqual([
      ' M CHANGELOG.md',
      ' M package-lock.json',
      ' M package.json',
      '?? schema/released/9.0.0.graphql',
    ]);
    expect(JSON.parse(textOf('package.json')).version).toBe('9.0.0');
    const lock = JSON.parse(textOf('package-lock.json'));
    expect([lock.version, lock.packages[''].version]).toEqual(['9.0.0', '9.0.0']);
    expect(textOf('CHANGELOG.md').replace(/\n## 9\.0\.0 \(\d{4}-\d\d-\d\d\)\n/, '')).toBe(before);
    expect(textOf('schema/released/9.0.0.graphql')).toContain('type Query');

    const sbom = JSON.parse(textOf('release/tributary-graphql-9.0.0.cdx.json'));
    const shipped = Object.entries(lock.packages as Record<string, { version: string; dev?: true }>)
      .filter(([place, { dev }]) => place !== '' && !dev)
      .map(([place, { version }]) => `${place.replace(/^.*node_modules\//, '')}@${version}`);
    const components = (sbom.components as { group?: string; name: string; version: string }[]).map(
      ({ group, name, version }) => `${[group, name].filter(Boolean).join('/')}@${version}`,
    );
    expect(sbom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'tributary-graphql', version: '9.0.0', type: 'application' } },
    });
    expect(new Set(components)).toEqual(new Set(shipped));

    const folder = temporaryFolder();
    const installed = join(folder, 'node_modules/tributary-graphql');
    mkdirSync(installed, { recursive: true });
    await run(
      `tar -xzf ${checkout}/release/tributary-graphql-9.0.0.tgz --strip-components=1 -C ${installed}`,
      folder,
    );
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    expect(readdirSync(installed).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'browser',
      'dist',
      'docs',
      'package.json',
      'sandbox',
      'schema',
    ]);
    expect(readdirSync(join(installed, 'sandbox'))).toEqual(['dist']);
    expect(files).toContain('docs/settings.md');
    expect(files.filter((file) => /\.map$|\.tsbuildinfo$|^schema\/released|(^|\/)\.env/.test(file))).toEqual(
      [],
    );

    // As npm installs it, but for what it depends on: npm would ask the registry, so those packages are links.
    linkPackages(folder, { isProduction: true });
    const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    chmodSync(join(installed, bin.tributary), 0o755);
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    symlinkSync(join('../tributary-graphql', bin.tributary), join(folder, 'node_modules/.bin/tributary'));
    // The server by itself, because npx passes no signal on to what it runs.
    const version = await run('npx --no-install tributary --version', folder);
    const running = startProcess(
      join(folder, 'node_modules/.bin/tributary'),
      ['dev'],
      { PORT: '0', EXTENSIONS: join(root, 'examples/extension') },
      folder,
    );
    const printed = await running.printed(/Graph +\S+\/graphql/);
    const response = await fetch(/Graph +(\S+)/.exec(printed)?.[1] ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox' },
      body: JSON.stringify({
        query: '{ company { salesOrders(first: 1) { nodes { number customer { loyaltyPoints } } } } }',
      }),
    });
    const answer = await response.json();
    const ended = await running.stop();
    const script = `import { createTributary } from 'tributary-graphql';
      const { sdl, close } = await createTributary({ BUSINESS_URL: 'http://127.0.0.1:1', LOG_LEVEL: 'silent' });
      await close();
      console.log(sdl.includes('type Query'));`;
    const embedded = await run(`node --input-type=module --eval "${script}"`, folder);
    const { exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));

    expect(embedded).toMatchObject({ code: 0, stdout: 'true\n' });
    expect(files).toContain(exports['.'].types.slice(2));
    expect(answer).toEqual({
      data: {
        company: {
          salesOrders: {
            nodes: [{ number: expect.any(String), customer: { loyaltyPoints: expect.any(Number) } }],
          },
        },
      },
    });
    expect(version).toMatchObject({ code: 0, stdout: '9.0.0\n' });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  },
  buildTimeout,
);
