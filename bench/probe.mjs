// Loaded into the layer's process with --import: tells how long its event loop was blocked, what memory it holds and
// held, and what of it is in use.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

process.on('message', (message) => {
  if (message === 'forget') delay.reset();
  if (message === 'collect') {
    collectGarbage();
    process.send({ usedMiB: process.memoryUsage().heapUsed / 2 ** 20 });
  }
  if (message === 'report') {
    process.send({
      blockedMs: delay.max / 1e6,
      peakRssMiB: process.resourceUsage().maxRSS / 1024,
      rssMiB: process.memoryUsage.rss() / 2 ** 20,
    });
  }
});
// Listening for messages must not keep the process alive.
process.channel.unref();
