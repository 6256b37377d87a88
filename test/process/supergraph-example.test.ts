import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { management, postQuery, watchers } from '../support/gateway.ts';
import { actionInput, place, progress, stop } from '../support/operations.ts';
import { type Running, runShell, startScript } from '../support/process.ts';
import type { JournalEntry } from '../support/sandbox.ts';
import { startStub } from '../support/stub.ts';

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const readmeOfExample = textOf('examples/supergraph/README.md');

/** Runs what its README says, on free ports. */
async function startExample() {
  const [, name = ''] = /```sh\nnpm run (\S+)\n/.exec(readmeOfExample) ?? [];
  const [, script = ''] = /^node (\S+)$/.exec(JSON.parse(textOf('package.json')).scripts[name]) ?? [];
  const ports = { PORT: '0', ADMIN_PORT: 'off', NOTES_PORT: '0', GATEWAY_PORT: '0' };
  const settings = { ...ports, SUBSCRIBE_BY: 'ws', MANAGEMENT_TOKEN_HEADER: 'x-management' };
  const whole = startScript([script], settings);
  const printed = await whole.printed(/Sandbox +\S+\n/);
  const url = /Supergraph +(\S+)/.exec(printed)?.[1] ?? '';
  return { whole, url, journal: `${/Sandbox +(\S+)/.exec(printed)?.[1]}/journal` };
}

describe('the example that one command starts', () => {
  let whole: Running;
  let url = '';
  let journal = '';

  beforeAll(async () => {
    ({ whole, url, journal } = await startExample());
  });

  test('answers what its README asks', async () => {
    const [, command = '', answer = ''] =
      /```sh\n(curl[\s\S]*?)```\n+```json\n([\s\S]*?)```/.exec(readmeOfExample) ?? [];

    const { stdout } = await runShell(command.replace('http://127.0.0.1:4200/graphql', url));

    expect(JSON.parse(stdout)).toEqual(JSON.parse(answer));
  });

  test('subscribes over WebSocket with both tokens, for clients of either transport', async () => {
    const { data } = await postQuery(url, stop, {
      input: actionInput({ ...place, applicationInstanceName: 'app01' }),
    });
    const { id } = data.stopApplicationInstance.operation;

    const begun = await Promise.all(
      (['sse', 'ws'] as const).map(async (by) => {
        const events = watchers[by](url, progress, { id })[Symbol.asyncIterator]();
        const told = [await events.next(), await events.next()];
        await events.return?.();
        return told.map(({ value }) => value.data?.operationProgress.percentComplete);
      }),
    );

    for (const [first, second] of begun) expect(second).toBeGreaterThan(first);
    const { requests } = (await (await fetch(journal)).json()) as { requests: JournalEntry[] };
    const looks = requests.filter(({ path }) => path.startsWith('/subscriptions/'));
    expect(looks.length).toBeGreaterThan(0);
    // The journal has no tokens, but something of each to know it by.
    const known = createHash('sha256').update(management.slice(7)).digest('hex').slice(0, 12);
    for (const { headers } of looks) expect(headers.authorization).toContain(known);
  });

  afterAll(async () => {
    // It ends as a whole.
    expect(await whole.stop()).toMatchObject({ code: 0, stderr: '' });
    await expect(fetch(url)).rejects.toThrow();
    await expect(fetch(journal)).rejects.toThrow();
  });
});

test('a request before the supergraph is composed gets 503, and the gateway continues', async () => {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const sdl =
    'type Query { here: Boolean @shareable } extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@shareable"])';
  const subgraph = await startStub(async () => {
    await isReleased;
    return { body: { data: { _service: { sdl } } } };
  });
  const port = await freePort();
  const gateway = startScript(['examples/supergraph/gateway.mjs'], {
    TRIBUTARY_URL: subgraph.url,
    NOTES_URL: subgraph.url,
    GATEWAY_PORT: String(port),
  });
  await expect.poll(() => subgraph.requests.length).toBe(1);

  const early = await fetch(`http://127.0.0.1:${port}/graphql`);
  release();
  await gateway.printed(/The supergraph is at/);
  const { data } = await postQuery(`http://127.0.0.1:${port}/graphql`, '{ __typename }');
  await gateway.stop();
  subgraph.stop();

  expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1']);
  expect(data).toEqual({ __typename: 'Query' });
});
