// Prepares a release in a checkout: `npm run release -- <version> [--dry-run]`. CONTRIBUTING.md says what it does.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { parseArgs } from 'node:util';
import { addVersion, ReleaseError, withoutDevelopment, withVersion } from './release-texts.mjs';

const run = (command, args, options) =>
  execFileSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 26, ...options });
const say = (line) => process.stdout.write(`${line}\n`);

const numbers = (version) => version.split('.').map(Number);
const isBefore = (one, other) => {
  const at = numbers(one).findIndex((number, index) => number !== numbers(other)[index]);
  return at >= 0 && numbers(one)[at] < numbers(other)[at];
};

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean', default: false } },
  });
  const [version, ...others] = positionals;
  if (!/^\d+\.\d+\.\d+$/.test(version ?? '') || others.length > 0)
    throw new ReleaseError('Expected one version, such as: npm run release -- 1.2.3 --dry-run');
  // Without `--` before it, npm takes the option for itself and passes it on as a variable.
  return { version, isDryRun: values['dry-run'] || env.npm_config_dry_run === 'true' };
}

function check(version, manifest) {
  const changed = run('git', ['status', '--porcelain']).trim();
  if (changed !== '')
    throw new ReleaseError(`These files are not committed. Commit or remove them first:\n${changed}`);
  if (isBefore(version, manifest.version))
    throw new ReleaseError(`${version} is before ${manifest.version}, the version in package.json.`);
  if (run('git', ['tag', '--list', `v${version}`]).trim() !== '')
    throw new ReleaseError(`There is a tag v${version} already. Take the next version.`);
}

/** CycloneDX, of what ships. `npm sbom --omit dev` leaves out what packages for development need as well. */
function makeSbom(name) {
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
  // npm takes the name of the folder for that of the package.
  const cwd = join(folder, name);
  mkdirSync(cwd);
  for (const file of ['package.json', 'package-lock.json'])
    writeFileSync(join(cwd, file), withoutDevelopment(readFileSync(file, 'utf8')));
  const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  const sbom = run('npm', ['sbom', ...options], { cwd });
  rmSync(folder, { recursive: true });
  return sbom;
}

function release() {
  const { version, isDryRun } = readArguments();
  const manifestText = readFileSync('package.json', 'utf8');
  const manifest = JSON.parse(manifestText);
  check(version, manifest);
  const changelog = addVersion(
    readFileSync('CHANGELOG.md', 'utf8'),
    version,
    new Date().toISOString().slice(0, 10),
  );
  const texts = {
    'package.json': withVersion(manifestText, version),
    'package-lock.json': withVersion(readFileSync('package-lock.json', 'utf8'), version),
    'CHANGELOG.md': changelog,
  };
  const schemaFile = `schema/released/${version}.graphql`;
  const sbomFile = `release/${manifest.name}-${version}.cdx.json`;
  const packageFile = `release/${manifest.name}-${version}.tgz`;
  if (isDryRun) {
    for (const file of [...Object.keys(texts), schemaFile, sbomFile, packageFile]) say(`would write ${file}`);
    return;
  }

  for (const [file, text] of Object.entries(texts)) writeFileSync(file, text);
  // Modules whose source was removed since the last build must not ship.
  for (const folder of ['dist', 'sandbox/dist', 'release']) rmSync(folder, { recursive: true, force: true });
  run('npm', ['run', 'prepare'], { stdio: 'inherit' });
  // Without settings of this shell, which can add types.
  const { PATH, HOME } = env;
  mkdirSync('schema/released', { recursive: true });
  writeFileSync(
    schemaFile,
    run(process.execPath, ['dist/main.js', 'schema', '--subgraph'], { env: { PATH, HOME } }),
  );
  mkdirSync('release');
  writeFileSync(sbomFile, makeSbom(manifest.name));
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', 'release']);

  for (const file of [...Object.keys(texts), schemaFile, sbomFile, packageFile]) say(`wrote ${file}`);
  say(
    `\nThen: npm run test:all && git add --all && git commit -m "Release ${version}" && git tag v${version}`,
  );
}

try {
  release();
} catch (error) {
  const hint =
    error instanceof ReleaseError ? '' : '\nUndo what was written: git restore . && git clean -fd schema';
  process.stderr.write(`${error.message}${hint}\n`);
  process.exitCode = 1;
}
