import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Running, runShell, startTributary } from '../support/process.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/record-types.md', root), 'utf8');
const blocks = [...page.matchAll(/^```(sh|graphql)\n([\s\S]*?)^```/gm)].map(
  ([, language = '', code = '']) => ({
    language,
    code,
  }),
);

let sandbox: Running;
let url = '';

beforeAll(async () => {
  sandbox = startTributary(['sandbox', '--port', '0']);
  url = /BUSINESS_URL=(\S+)/.exec(await sandbox.printed(/MANAGEMENT_URL=\S+/))?.[1] ?? '';
});

afterAll(async () => {
  for (const path of ['records', 'metadata.xml'])
    rmSync(new URL(path, root), { recursive: true, force: true });
  await sandbox.stop();
});

test('the tutorial of record-types.md leads from nothing to an answer', async () => {
  const commands = blocks.filter(({ language }) => language === 'sh');
  const [query] = blocks.filter(({ language }) => language === 'graphql');
  const [, records = ''] = /RECORD_TYPES='([^']+)' npm start/.exec(page) ?? [];

  for (const { code } of commands) {
    const { code: status, stderr } = await runShell(code.replaceAll('http://127.0.0.1:4100', url));
    expect({ code, status, stderr }).toEqual({ code, status: 0, stderr: '' });
  }
  const running = startTributary(['dev'], { PORT: '0', RECORD_TYPES: records });
  const graph = /Graph +(\S+)/.exec(await running.printed(/Graph.*\n/))?.[1] ?? '';
  const response = await fetch(graph, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox' },
    body: JSON.stringify({ query: query?.code }),
  });
  const answer = await response.json();
  await running.stop();

  expect(answer).toEqual({
    data: { company: { resources: { totalCount: expect.any(Number), nodes: expect.any(Array) } } },
  });
  expect(JSON.stringify(answer)).toMatch(/"number":"\w+"/);
});
