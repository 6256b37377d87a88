import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runTributary, startProcess } from '../support/process.ts';

/** The cells of a line of a table. */
const rowOf = (text: string, name: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.split(/ {2,}/);

test('check prints each setting with its source, the first that has a value, and hides secrets', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'check-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'redis.txt'), 'redis://:canary-of-a-file@redis.example');
  writeFileSync(
    join(folder, '.env'),
    'BUSINESS_URL=https://env.example\nMAX_COST=7\nREDIS_URL_FILE=redis.txt\nHOST=::1\nOPERATION_SECRETS_FILE=/nowhere\n',
  );
  const settings = {
    MAX_COST: '9',
    HOST: '',
    MANAGEMENT_SCOPES: '',
    BUSINESS_CLIENT_SECRET: 'canary-of-a-variable',
    OPERATION_SECRETS: 'canary-of-an-operation',
  };
  const args = [resolve('dist/main.js'), 'check', '--all', '--port', '5540'];

  const { code, stdout, stderr } = await startProcess(process.execPath, args, settings, folder).ended;

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const expected = [
    ['PORT', '5540', 'command line'],
    ['MAX_COST', '9', 'environment'],
    ['BUSINESS_URL', 'https://env.example', '.env'],
    // An empty variable leaves the setting to .env, except where empty is a value.
    ['HOST', '::1', '.env'],
    ['MANAGEMENT_SCOPES', 'environment'],
    ['PAGES', 'on in dev, off in serve', 'default'],
    ['REDIS_URL', '(hidden)', 'file redis.txt (REDIS_URL_FILE, .env)'],
    ['BUSINESS_CLIENT_SECRET', '(hidden)', 'environment'],
    ['OPERATION_SECRETS', '(hidden)', 'environment'],
  ];
  expect(expected.map(([name = '']) => rowOf(stdout, name))).toEqual(expected);
  expect(stdout).not.toContain('canary');
});

test('check prints only what is set, and warns of what is probably not meant', async () => {
  const { code, stdout } = await runTributary(['check'], { BUSINESS_URL: 'https://a.example/api/v2.0' });

  expect(code).toBe(0);
  expect(rowOf(stdout, 'PORT')).toBeUndefined();
  expect(stdout).toMatch(/^Warning: BUSINESS_URL ends in the path of an API/m);
});

test('check --dev judges what dev would, and --connect ends with 1 where something cannot be used', async () => {
  const dev = await runTributary(['check', '--dev', '--connect'], { BUSINESS_URL: 'http://127.0.0.1:9' });

  expect(dev.code).toBe(1);
  expect(dev.stdout).toContain('The settings are valid for `dev`.');
  expect(dev.stdout).not.toContain('Warning');
  expect(rowOf(dev.stdout, 'Business Records (A)')?.slice(1, 3).join(' ')).toMatch(
    /^http:\/\/127\.0\.0\.1:9 FAILED$/,
  );
});
