import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { runShell, startProcess, startTributary } from '../support/process.ts';

const settings = {
  BUSINESS_URL: 'http://127.0.0.1:9',
  PORT: '0',
  OPERATION_SECRETS: 'a secret of the tests',
};

// Linux answers every write to it like a full disk.
const full = '/dev/full';

test('a server whose log cannot be written serves, says so once, and ends as usual', async () => {
  const port = await freePort();
  const running = startProcess('bash', ['-c', `exec node dist/main.js serve >${full}`], {
    ...settings,
    ADMIN_PORT: String(port),
    LOG_LEVEL: 'debug',
  });
  const isAlive = async () => (await fetch(`http://127.0.0.1:${port}/livez`).catch(() => null))?.status;
  await expect.poll(isAlive, { interval: 100 }).toBe(200);
  for (let count = 0; count < 20; count += 1) expect(await isAlive()).toBe(200);

  const { code, stderr } = await running.stop();
  expect(code).toBe(0);
  expect(stderr.match(/The log cannot be written to standard output \(ENOSPC.*16 MiB\./g)).toHaveLength(1);
  expect(stderr).not.toContain('    at ');
});

test('a command to a full disk ends with a sentence', async () => {
  const { code, stderr } = await runShell(`node dist/main.js schema >${full}`);

  expect([code, stderr.trim()]).toEqual([
    1,
    'Standard output cannot be written (ENOSPC: no space left on device, write).',
  ]);
});

test('a signal as soon as the address is printed ends a server as usual', async () => {
  const running = startTributary(['serve'], settings);
  await running.printed(/The graph is at/);

  expect((await running.stop()).code).toBe(0);
});
