import dns from 'node:dns';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { onTestFinished, vi } from 'vitest';

const listener = `
  const { parentPort, workerData } = require('node:worker_threads');
  const server = require('node:net').createServer().listen({ ...workerData, backlog: 1 }, () => {
    parentPort.postMessage(null);
    // Never accepts a connection.
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });`;

/** Makes connections to an address hang until the test ends, as where a firewall discards them. */
export async function hang(host: string, port: number): Promise<void> {
  const worker = new Worker(listener, { eval: true, workerData: { host, port } });
  await once(worker, 'message');
  // The operating system queues two connections and ignores further ones.
  const queued: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of queued) socket.destroy();
    await worker.terminate();
  });
  for (let isFull = false; !isFull; ) {
    const socket = connect(port, host);
    queued.push(socket.on('error', () => {}));
    isFull = await Promise.race([
      once(socket, 'connect').then(() => false),
      new Promise<boolean>((resolve) => setTimeout(resolve, 300, true)),
    ]);
  }
}

const { lookup } = dns;

/** Makes a name resolve to these addresses, in this order, until the test ends. */
export function resolveTo(name: string, ...addresses: readonly string[]): void {
  const spy = vi.spyOn(dns, 'lookup').mockImplementation(((
    host: string,
    options: dns.LookupOptions,
    callback: (...result: unknown[]) => void,
  ) => {
    if (host !== name) return lookup(host, options as dns.LookupAllOptions, callback);
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    process.nextTick(() => (options.all ? callback(null, found) : callback(null, found[0]?.address, 4)));
  }) as typeof dns.lookup);
  onTestFinished(() => spy.mockRestore());
}
