// Applies each patch of this folder to `src` or `schema` by itself and runs tests until one fails: first the file that the patch
// names ("Killed by test/..."), then all of `npm test`. Arguments select patches by the beginning of their names.
// Writes the test file that failed into the patch, reports the patches that no test notices, and exits with 1 when more
// than one in ten survives. Needs a working tree in which both are as committed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'tributary-mutants-'));
const report = join(scratch, 'report.json');

const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
if (git('status', '--porcelain', '--', 'src', 'schema').stdout !== '') {
  process.stderr.write('src or schema has changes that are not committed. Commit or remove them first.\n');
  process.exit(1);
}

/** Runs quick tests until one fails and returns its file, '' if the run failed as a whole; null where all pass. */
function firstFailure(...files) {
  rmSync(report, { force: true });
  const args = [
    'vitest',
    'run',
    '--project',
    'quick',
    '--bail',
    '1',
    '--reporter',
    'json',
    '--outputFile',
    report,
  ];
  const { status } = spawnSync('npx', [...args, ...files], { cwd: root, stdio: 'ignore', timeout: 600_000 });
  if (status === 0) return null;
  // A run that does not end in time leaves no report.
  const { testResults } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { testResults: [] };
  const failed = testResults.find((file) => file.status === 'failed');
  return failed ? relative(root, failed.name) : '';
}

const wanted = process.argv.slice(2);
const patches = readdirSync(folder)
  .filter((name) => name.endsWith('.patch'))
  .filter((name) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)));
const survivors = [];
const stale = [];
let isInterrupted = false;
// An interrupt ends the running tests. The patch is removed as after any other run.
process.on('SIGINT', () => {
  isInterrupted = true;
});
for (const name of patches) {
  const path = join(folder, name);
  const text = readFileSync(path, 'utf8');
  const [, known] = /^Killed by (\S+)$/m.exec(text) ?? [];
  if (git('apply', path).status !== 0) {
    stale.push(name);
    continue;
  }
  let killer = null;
  try {
    killer = (known && firstFailure(known)) ?? firstFailure();
  } finally {
    git('apply', '--reverse', path);
  }
  if (isInterrupted) break;
  process.stdout.write(`${name}: ${killer === '' ? 'the run failed' : (killer ?? 'SURVIVED')}\n`);
  if (killer === null) survivors.push(name);
  else if (killer !== '' && killer !== known) {
    const [sentence, ...rest] = text.replace(/^Killed by .*\n/m, '').split('\n');
    writeFileSync(path, [sentence, `Killed by ${killer}`, ...rest].join('\n'));
  }
}
rmSync(scratch, { recursive: true });
const applied = patches.length - stale.length;
process.stdout.write(`\n${applied - survivors.length} of ${applied} killed\n`);
if (stale.length > 0) process.stdout.write(`No longer apply, write them anew: ${stale.join(', ')}\n`);
process.exitCode = isInterrupted || stale.length > 0 || survivors.length > patches.length * 0.1 ? 1 : 0;
