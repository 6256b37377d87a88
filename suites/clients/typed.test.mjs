import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { headers, readSdl, startServer } from './server.mjs';

const cwd = fileURLToPath(new URL('.', import.meta.url));
const folder = new URL('generated/typed/', import.meta.url);
const require = createRequire(import.meta.url);

let server;

before(async () => {
  const [started, sdl] = await Promise.all([startServer(), readSdl()]);
  server = started;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(new URL('schema.graphql', folder), sdl);
});
after(() => server.stop());

/** Runs a program of a package; throws with its output if it fails. */
async function run(name, program, args) {
  const path = fileURLToPath(new URL(program, `file://${require.resolve(`${name}/package.json`)}`));
  try {
    await promisify(execFile)(process.execPath, [path, ...args], { cwd });
  } catch (error) {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  }
}

test('the schema gives types to the client preset and to gql.tada, with a type for each scalar', async () => {
  // The generator is the project's own: it is not installed twice.
  await run('@graphql-codegen/cli', 'cjs/bin.js', ['--config', 'typed/codegen.json']);
  await run('gql.tada', 'bin/cli.js', ['generate', 'output', '--tsconfig', 'typed/tsconfig.json']);
  await run('typescript', 'bin/tsc', ['-p', 'typed/tsconfig.json']);
});

for (const client of ['request', 'tada']) {
  test(`the values that ${client}.ts reads have the types of their scalars`, async () => {
    const { readOrders } = await import(new URL(`js/typed/${client}.js`, folder));
    const { timestamp, tags = {}, orders } = await readOrders(server.url, headers);
    assert.ok(Number.isSafeInteger(timestamp));
    assert.equal(typeof tags, 'object');
    assert.equal(orders.length, 2);
    for (const { id, dates, amount } of orders) {
      assert.match(id, /^[0-9a-f-]{36}$/);
      assert.match(dates[0], /^\d{4}-\d\d-\d\d$/);
      assert.ok(new Date(dates[1]).getTime() > 0);
      assert.equal(typeof amount, 'string');
    }
  });
}
