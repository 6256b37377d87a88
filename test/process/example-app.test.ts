import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestLayer, type TestLayer } from '../support/layer.ts';
import { type Finished, runShell } from '../support/process.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

const root = new URL('../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8');
const manifest = 'examples/app/generated/persisted-documents.json';

let sandbox: TestSandbox;
let layer: TestLayer;
let strictLayer: TestLayer;
let first: Finished;

beforeAll(async () => {
  sandbox = await startTestSandbox({ stepMs: 300 });
  layer = await startTestLayer(sandbox.url);
  strictLayer = await startTestLayer(sandbox.url, {
    TRUSTED_DOCUMENTS: manifest,
  });
  // It compiles first, and what the tests below run is what it leaves.
  const [, command = ''] = /```sh\n(npm run .*)\n```/.exec(textOf('examples/app/README.md')) ?? [];
  first = await runShell(`${settingsFor(layer)} ${command}`);
});

beforeEach(() => sandbox.reset());

afterAll(async () => {
  await layer.stop();
  await strictLayer.stop();
  await sandbox.stop();
});

const settingsFor = ({ url }: TestLayer) => `GRAPH_URL=${url}/graphql TOKEN=a-token-of-the-app`;
const run = (script: string, layer: TestLayer, settings = '') =>
  runShell(`${settingsFor(layer)} ${settings} node examples/app/${script}`);

test('the app pages, changes what it has seen and no other state, and watches a stop to its end', () => {
  const { code, stdout, stderr } = first;

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trim().split('\n');
  expect(lines.slice(0, 6).map((line) => line.split(' ')[0])).toEqual(
    ['1001', '1002', '1003', '1004', '1005', '1006'].map((number) => `S-ORD10${number}`),
  );
  expect(lines.slice(6, 8)).toEqual([
    'STALE_RECORD: it is +47 00 00 00 00 by now',
    'changed to +47 22 33 44 55',
  ]);
  expect(lines[8]).toMatch(/^RUNNING \d+ %$/);
  expect(lines.at(-1)).toBe('SUCCEEDED 100 %');
});

test('where only its manifest is trusted, the app runs by the ids of its documents, the subscription too', async () => {
  const byId = await run('dist/main.js', strictLayer, 'BY_ID=1');
  await sandbox.reset();
  const byText = await run('plain.mjs', strictLayer);

  expect(byId).toMatchObject({ code: 0, stderr: '' });
  expect(byId.stdout).toContain('SUCCEEDED 100 %');
  expect(byText.code).toBe(1);
  expect(byText.stderr).toContain('The document is not trusted');
});
