// Loaded into the server process with --import: reports how long the event loop was blocked, and the heap in use after a
// garbage collection.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

process.on('message', (message) => {
  if (message === 'blocked') {
    process.send({ blockedMs: delay.max / 1e6 });
    delay.reset();
  }
  if (message === 'collect') {
    collectGarbage();
    process.send({ usedMiB: process.memoryUsage().heapUsed / 2 ** 20 });
  }
});
// The message listener must not keep the process alive.
process.channel.unref();
