import { connect } from 'node:net';
import { startTributary } from './process.ts';
import type { TestRedis } from './redis.ts';
import type { TestSandbox } from './sandbox.ts';

export type Replica = Awaited<ReturnType<typeof startReplica>>;

/** A process that serves, with the secrets of the others. */
export async function startReplica(
  sandbox: TestSandbox,
  redis: TestRedis,
  settings: Readonly<Record<string, string>> = {},
) {
  const running = startTributary(['serve'], {
    PORT: '0',
    MANAGEMENT_URL: sandbox.url,
    OPERATION_SECRETS: 'a secret of all replicas',
    OPERATION_POLL_MS: '200',
    REDIS_URL: redis.url,
    LOG_LEVEL: 'error',
    ...settings,
  });
  const printed = await running.printed(/readyz"/);
  const [, url = ''] = /at (\S+)\/graphql/.exec(printed) ?? [];
  const [, adminUrl = ''] = /at (\S+)\/readyz/.exec(printed) ?? [];
  return { running, url, adminUrl };
}

/** What Redis answers to a line, as it comes, from a connection of its own. */
export function askRedis({ url }: TestRedis, line: string): { heard(): string; close(): void } {
  let heard = '';
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname).on('data', (bytes) => {
    heard += bytes.toString('latin1');
  });
  socket.on('error', () => socket.destroy());
  socket.write(`${line}\r\n`);
  return { heard: () => heard, close: () => socket.destroy() };
}
