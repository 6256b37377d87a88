// Applies each patch of this folder by itself and expects a quick test to fail: first of the folder that the patch names
// ("Run test/..."), then of all. Arguments select patches by the beginning of their names. Exits with 1 when one survives.
// Needs a working tree in which `src` and `schema` are as committed.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });

if (git('status', '--porcelain', '--', 'src', 'schema').stdout !== '') {
  process.stderr.write('src or schema has changes that are not committed. Commit or remove them first.\n');
  process.exit(1);
}

/** Whether a quick test fails, in files whose paths contain `path`. */
function isKilled(path) {
  const args = ['vitest', 'run', '--project', 'quick', '--bail', '1', '--passWithNoTests', path];
  return spawnSync('npx', args, { cwd: root, stdio: 'ignore', timeout: 600_000 }).status !== 0;
}

const wanted = process.argv.slice(2);
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.patch'))
  .filter((name) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)));
let isInterrupted = false;
// An interrupt ends the running tests. The patch is removed as after any other run.
process.on('SIGINT', () => {
  isInterrupted = true;
});
for (const name of names) {
  const path = folder + name;
  const [, tests = 'test/'] = /^Run (\S+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
  let outcome = 'killed';
  if (git('apply', path).status !== 0) outcome = 'NO LONGER APPLIES: write it anew';
  else
    try {
      if (!isKilled(tests) && !isKilled('test/')) outcome = 'SURVIVED';
    } finally {
      git('apply', '--reverse', path);
    }
  if (isInterrupted) break;
  if (outcome !== 'killed') process.exitCode = 1;
  process.stdout.write(`${name}: ${outcome}\n`);
}
if (isInterrupted) process.exitCode = 1;
