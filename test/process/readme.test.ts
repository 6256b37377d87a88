import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { parse, validate } from 'graphql';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../sandbox/seed.ts';
import { createSchema } from '../../src/app/schema/schema.ts';
import { type Running, runShell, runTributary, startTributary } from '../support/process.ts';

const root = new URL('../../', import.meta.url);
const docs = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' });
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  // The tutorial of record-types.md is run in its own order, by record-types-tutorial.test.ts.
  ...docs.filter((file) => file.endsWith('.md') && file !== 'record-types.md').map((file) => `docs/${file}`),
];
const textOf = (page: string) => readFileSync(new URL(page, root), 'utf8');

const blocks = pages.flatMap((page) =>
  [...textOf(page).matchAll(/^```(sh|graphql)\n([\s\S]*?)^```(?:\n+```json\n([\s\S]*?)^```)?/gm)].map(
    ([, language = '', code = '', answer], index) => ({ page, index, language, code, answer }),
  ),
);

// CI runs these itself, from README's own text (.ci/run); `npm start` is what the blocks here run against.
const ofContinuousIntegration = /^npm (ci|start|test|run test:all|run check|run format)$/;

let running: Running;
let graph = '';
let sandbox = '';
let admin = '';

beforeAll(async () => {
  running = startTributary(['dev'], {
    PORT: '0',
    POLL_RECORDS_MS: '100',
  });
  const text = await running.printed(/Sandbox.*\n/);
  graph = /Graph +(\S+)\/graphql/.exec(text)?.[1] ?? '';
  sandbox = /Sandbox +(\S+)\/sandbox/.exec(text)?.[1] ?? '';
  admin = /Probes +(\S+)\/readyz/.exec(text)?.[1] ?? '';
});

// Each block is for the state of the start, in whatever order they run.
beforeEach(async () => void (await fetch(`${sandbox}/sandbox/reset`, { method: 'POST' })));

afterAll(() => running.stop());

// A server does not end by itself: of its settings `check` says what `serve` would.
const ending = (command: string) => command.replace(/(?<=node dist\/main\.js )serve$/gm, 'check');

// In one go: a port that was found free may begin as one that is looked for.
const here = (text: string) =>
  text
    .replaceAll('ADMIN_PORT=4001', `ADMIN_PORT=${admin.split(':').at(-1)}`)
    .replace(/http:\/\/127\.0\.0\.1:(4000|4001|4100)\b/g, (_all, port) => {
      if (port === '4000') return graph;
      return port === '4001' ? admin : sandbox;
    });

// How long a call took is another number every time, and addresses in its response have a port of four digits or five.
const timeless = (text: string) =>
  text
    .replace(/("(?:milliseconds|bytes)": ?)[\d.]+/g, '$10')
    .replace(/about \d+ bytes and [\d.]+ ms; a call takes [\d.]+ ms/g, '');

describe('every command of the documentation', () => {
  const commands = blocks.filter(({ language }) => language === 'sh');

  test.each(commands)('$page, block $index, works', async ({ code, answer }) => {
    const lines = code
      .trim()
      .split('\n')
      .filter((line) => !ofContinuousIntegration.test(line));

    const { code: status, stdout, stderr } = await runShell(ending(here(lines.join('\n'))) || 'true');

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).not.toContain('"errors"');
    if (answer) expect(JSON.parse(timeless(stdout))).toEqual(JSON.parse(timeless(answer)));
    if (code.includes('/graphql/stream')) expect(stdout).toContain('"state":"SUCCEEDED"');
  });
});

const ask = async (query: string | undefined) => {
  const response = await fetch(`${graph}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox' },
    body: JSON.stringify({ query }),
  });
  return JSON.stringify(await response.json());
};

test('the settings of connect.md are valid', async () => {
  const [, file = ''] = /^```ini\n([\s\S]*?)^```/m.exec(textOf('docs/connect.md')) ?? [];

  const { code, stdout } = await runTributary(['check'], parseEnv(file) as Record<string, string>);

  expect(stdout).toContain('The settings are valid for `serve`.');
  expect(code).toBe(0);
});

describe('every query of the documentation', () => {
  const inGraphql = blocks.filter(({ language }) => language === 'graphql');
  const queries = inGraphql.filter(({ code }) => !/^(subscription|mutation \()/.test(code));
  const subscriptions = inGraphql.filter(({ code }) => code.startsWith('subscription'));

  test.each(subscriptions)('$page, block $index, tells a change', async ({ code: query }) => {
    const events = createClient({
      url: `${graph}/graphql/stream`,
      headers: { authorization: 'Bearer sandbox' },
    }).iterate({ query });
    const told = events.next();
    let isTold = false;
    void told.then(() => {
      isTold = true;
    });
    for (let round = 0; !isTold && round < 100; round++) {
      await ask(`mutation { updateCustomer(input: { companyId: "${sandboxCompanyId}", id: "${sandboxExamples.customerId}",
        ifMatch: "*", patch: { city: "Oslo ${round}" } }) { userErrors { code } } }`);
      await sleep(100);
    }

    expect((await told).value).toMatchObject({ data: { recordChanged: { type: 'CUSTOMER' } } });
    await events.return?.();
  });

  test.each(queries)('$page, block $index, is answered without an error', async ({ code: query }) => {
    const { data, errors } = JSON.parse(await ask(query));

    expect(errors).toBeUndefined();
    expect(JSON.stringify(data)).toMatch(/":("|\d|\{|\[\{)/);
  });

  const withVariables = inGraphql.filter(({ code }) => code.startsWith('mutation ('));
  test.each(withVariables)('$page, block $index, fits the schema', ({ code: query }) => {
    expect(validate(createSchema(), parse(query))).toEqual([]);
  });
});

test('the orders of records.md take the one call it claims, and its stale change is STALE_RECORD', async () => {
  const queryWith = (text: string) =>
    blocks.find(({ code, language }) => language === 'graphql' && code.includes(text))?.code;
  await fetch(`${sandbox}/sandbox/journal`, { method: 'DELETE' });

  await ask(queryWith('salesOrders(first: 50)'));
  const journal = (await (await fetch(`${sandbox}/sandbox/journal`)).json()) as { requests: unknown[] };
  const stale = await ask(queryWith('an-older-state'));
  const created = await ask(queryWith('createSalesOrder'));

  expect(journal.requests).toHaveLength(1);
  expect(stale).toContain('STALE_RECORD');
  expect(created).toContain('"status":"Draft"');
});
