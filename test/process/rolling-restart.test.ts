import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Running, startTributary } from '../support/process.ts';

interface Replica {
  readonly running: Running;
  readonly url: string;
  readonly adminUrl: string;
  isReady: boolean;
}

let upstream: Server;
beforeAll(async () => {
  upstream = createServer((_request, response) => setTimeout(() => response.end('{"value":[]}'), 100));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
});

async function startReplica(): Promise<Replica> {
  const running = startTributary(['serve'], {
    PORT: '0',
    BUSINESS_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
    OPERATION_SECRETS: 'a secret of the test',
    DRAIN_DELAY_MS: '500',
  });
  const text = await running.printed(/readyz"/);
  const [, url = ''] = /at (\S+)\/graphql/.exec(text) ?? [];
  const [, adminUrl = ''] = /at (\S+)\/readyz/.exec(text) ?? [];
  return { running, url, adminUrl, isReady: true };
}

const agent = new Agent({ keepAlive: true });
const body = JSON.stringify({ query: '{ companies { nodes { id } } }' });

/** What became of a request: answered, surely not carried out, or else what nobody may repeat. */
async function ask({ url }: Replica, caller: string): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${caller}` };
  const sent = request(`${url}/graphql`, { method: 'POST', agent, headers });
  sent.end(body);
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response) text += chunk;
    if (response.statusCode === 503 && response.headers['retry-after']) return 'retryable';
    return text.startsWith('{"data":{"companies":{"nodes":[]}}}') ? 'answered' : text;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ECONNREFUSED' ? 'retryable' : `failed: ${code}`;
  }
}

test('two replicas that are restarted one after the other fail nothing of a hundred requests a second', async () => {
  const replicas = [await startReplica(), await startReplica()];
  const outcomes = new Map<string, number>();
  const open = new Set<Promise<void>>();
  let isOver = false;
  let count = 0;

  const probe = async () => {
    while (!isOver) {
      for (const replica of replicas)
        replica.isReady = await fetch(`${replica.adminUrl}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      await sleep(100);
    }
  };
  const send = async () => {
    const ready = replicas.filter(({ isReady }) => isReady);
    count += 1;
    const outcome = await ask(ready[count % ready.length] as Replica, `caller-${count}`);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  };
  const probing = probe();
  const timer = setInterval(() => {
    const sent = send().finally(() => open.delete(sent));
    open.add(sent);
  }, 10);

  await sleep(500);
  for (const at of [0, 1]) {
    expect((await replicas[at]?.running.stop('SIGTERM'))?.code).toBe(0);
    replicas[at] = await startReplica();
    await sleep(500);
  }
  clearInterval(timer);
  await Promise.all(open);
  isOver = true;
  await probing;
  await Promise.all(replicas.map(({ running }) => running.stop('SIGKILL')));
  agent.destroy();

  expect(count).toBeGreaterThan(250);
  expect([...outcomes.keys()].filter((outcome) => outcome !== 'retryable')).toEqual(['answered']);
  expect(outcomes.get('retryable') ?? 0).toBeLessThan(count / 100);
});
