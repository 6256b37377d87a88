import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './free-port.ts';
import { endWithTest } from './runner/end-with-test.ts';

export { hasRedis } from './redis-server.ts';

/** A real Redis server of the test's own, that keeps nothing. */
export interface TestRedis {
  readonly url: string;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Has it keep its connections and answer nothing; `kill` ends it all the same. */
  pause(): void;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
}

/** `options` are those of its command line. */
export async function startTestRedis(options: readonly string[] = []): Promise<TestRedis> {
  const port = await freePort();
  let server: ChildProcess | null = null;
  const redis: TestRedis = {
    url: `redis://127.0.0.1:${port}`,
    async kill() {
      if (!server) return;
      const closed = once(server, 'close');
      server.kill('SIGKILL');
      server = null;
      await closed;
    },
    pause: () => void server?.kill('SIGSTOP'),
    async start() {
      const args = [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
        ...options,
      ];
      server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
      for await (const text of server.stdout as AsyncIterable<Buffer>)
        if (text.toString().includes('Ready to accept connections')) return;
      server = null;
      throw new Error(`redis-server ended before it listened on port ${port}`);
    },
  };
  await redis.start();
  endWithTest(redis.kill);
  return redis;
}
