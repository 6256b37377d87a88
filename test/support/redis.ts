import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './free-port.ts';
import { endWithTest } from './runner/end-with-test.ts';

export { hasRedis } from './redis-server.ts';

export type TestRedis = Awaited<ReturnType<typeof startTestRedis>>;

/** A real Redis server of the test's own, that keeps nothing; `options` are those of its command line. */
export async function startTestRedis(options: readonly string[] = []) {
  const port = await freePort();
  let server: ChildProcess | null = null;
  const redis = {
    url: `redis://127.0.0.1:${port}`,
    /** Ends it as a power cut would. */
    async kill() {
      if (!server) return;
      const closed = once(server, 'close');
      server.kill('SIGKILL');
      server = null;
      await closed;
    },
    /** Has it keep its connections and answer nothing; `kill` ends it all the same. */
    pause: () => void server?.kill('SIGSTOP'),
    /** Starts it again, on the same port. */
    async start() {
      const own = `--port ${port} --bind 127.0.0.1 --appendonly no`.split(' ');
      const args = [...own, '--save', '', ...options];
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
