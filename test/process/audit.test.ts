import { expect, test } from 'vitest';
import { runShell, startTributary } from '../support/process.ts';

const token = 'a-secret-token';
const runAudits = (args: string) => runShell(`npm run --silent audit -- ${args}`);

interface Journal {
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly parts?: readonly { readonly method: string }[];
  }[];
}

test('audit tells one line a rule and ends with 0 when all are kept', async () => {
  const running = startTributary(['sandbox', '--port', '0']);
  const url = /(http:\S+)/.exec(await running.printed(/http:\S+/))?.[1]?.replace(/\/sandbox$/, '');

  const reading = await runAudits(`--url ${url} --token ${token}`);
  const { requests } = (await (await fetch(`${url}/sandbox/journal`)).json()) as Journal;
  const writing = await runAudits(`--url ${url}/ --token-file <(echo ${token}) --writes`);
  await fetch(`${url}/sandbox/faults`, {
    method: 'POST',
    body: '{"path":"customers(11111111-1111-4111-8111-111111111111","status":200}',
  });
  const broken = await runAudits(`--url ${url} --token ${token}`);
  await running.stop();

  expect(reading).toMatchObject({ code: 0, stderr: '' });
  expect(reading.stdout).toMatch(/^passed +A\.auth\.1 +A call without a bearer token is 401$/m);
  expect(reading.stdout).toMatch(/^skipped +A\.update\.3 .*: it writes, which takes --writes$/m);
  expect(reading.stdout).toMatch(/\n\d+ passed, 0 failed, \d+ skipped\n$/);
  expect(requests.length).toBeGreaterThan(80);
  expect(requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/$batch'))).toEqual([]);
  expect(requests.flatMap(({ parts = [] }) => parts).filter(({ method }) => method !== 'GET')).toEqual([]);
  expect(writing).toMatchObject({ code: 0, stderr: '' });
  expect(writing.stdout).toMatch(/\n\d+ passed, 0 failed, 0 skipped\n$/);
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(/^failed +A\.address\.2 .*: 200.* for customers$/m);
  expect(broken.stdout).toMatch(/ 1 failed, /);
  for (const { stdout } of [reading, writing, broken]) expect(stdout).not.toContain(token);
});
