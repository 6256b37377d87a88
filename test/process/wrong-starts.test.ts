import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProcess } from '../support/process.ts';

const url = { BUSINESS_URL: 'http://127.0.0.1:9' };
const oldNode = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.4' } })`;
const taken = createServer();
const folder = mkdtempSync(join(tmpdir(), 'wrong-starts-'));
const takenPort = () => String((taken.address() as AddressInfo).port);

beforeAll(() => new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  taken.close();
  rmSync(folder, { recursive: true });
});

interface WrongStart {
  readonly wrong: string;
  /** With the arguments of the command. */
  readonly command: string;
  readonly settings?: () => Readonly<Record<string, string>>;
  readonly envFile?: string;
  readonly code: 1 | 2;
  /** The lines that say what is wrong, and what to do. */
  readonly says: readonly RegExp[];
}

// Of settings, what is wrong is in test/unit/config: here is that the process ends with it.
const wrongStarts: readonly WrongStart[] = [
  {
    wrong: 'several wrong settings, of the environment and of .env,',
    command: 'serve',
    settings: () => ({
      BUSINESS_URL: 'ftp://x',
      OPERATION_SECRETS: 'canary',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    }),
    envFile: 'ADMIN_PROT=0\nPORT=http\n',
    code: 2,
    says: [
      /^ADMIN_PROT is not a setting\. Did you mean ADMIN_PORT\?$/,
      /^PORT is "http": expected a port, 0 to 65535\.$/,
      /^BUSINESS_URL is "ftp:\/\/x": expected an http or https URL/,
      /^OPERATION_SECRETS: expected secrets of at least 16 characters, comma-separated\.$/,
      /^NODE_TLS_REJECT_UNAUTHORIZED is "0".*\. Remove it; NODE_EXTRA_CA_CERTS adds/,
    ],
  },
  {
    wrong: 'a port of the probes that is taken',
    command: 'serve',
    settings: () => ({
      ...url,
      OPERATION_SECRETS: 'a secret of the test',
      PORT: '0',
      ADMIN_PORT: takenPort(),
    }),
    code: 1,
    says: [/^Port \d+ is in use\. Set ADMIN_PORT to another port, or to 0 for a free one\.$/],
  },
  {
    wrong: 'Node.js that is too old',
    command: 'serve',
    settings: () => ({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(oldNode)}` }),
    code: 2,
    says: [/^Tributary needs Node\.js 20\.20 or newer, and this is 20\.19\.4\. Install a newer one/],
  },
];

test.for(wrongStarts)('$wrong: `$command` ends with $code and says what to do', async (start) => {
  const { command, settings = () => ({}), envFile = '', code, says } = start;
  writeFileSync(join(folder, '.env'), envFile);
  // `check` judges NODE_TLS_REJECT_UNAUTHORIZED itself; Node.js warns of it too.
  const args = ['--no-warnings', resolve('dist/main.js'), ...command.split(' ')];

  const ended = await startProcess(process.execPath, args, settings(), folder).ended;

  const lines = ended.stderr.trim().split('\n');
  expect(lines).toHaveLength(says.length);
  for (const said of says) expect(lines).toContainEqual(expect.stringMatching(said));
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '' });
  expect(ended.stderr).not.toContain('canary');
});
