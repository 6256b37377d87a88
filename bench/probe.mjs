// Loaded into the server process with --import: reports event-loop delay, memory and its peak, heap in use, and the share
// of allocations that is promoted to the old generation.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { GCProfiler, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

const profiler = new GCProfiler();
const used = ({ heapSpaceStatistics }, name) =>
  heapSpaceStatistics.find(({ spaceName }) => spaceName === name).spaceUsedSize;

/** The share of allocated bytes that was promoted to the old generation. */
function outlived(collections) {
  let made = 0;
  let old = 0;
  for (const [at, { gcType, beforeGC, afterGC }] of collections.entries()) {
    const before = collections[at - 1]?.afterGC;
    if (before) made += used(beforeGC, 'new_space') - used(before, 'new_space');
    if (gcType === 'Scavenge') old += used(afterGC, 'old_space') - used(beforeGC, 'old_space');
  }
  return old / made;
}

process.on('message', (message) => {
  if (message === 'forget') delay.reset();
  if (message === 'collect') {
    collectGarbage();
    process.send({ usedMiB: process.memoryUsage().heapUsed / 2 ** 20 });
  }
  if (message === 'profile') profiler.start();
  if (message === 'outlived') process.send({ outlived: outlived(profiler.stop().statistics) });
  if (message === 'report') {
    process.send({
      blockedMs: delay.max / 1e6,
      peakRssMiB: process.resourceUsage().maxRSS / 1024,
      rssMiB: process.memoryUsage.rss() / 2 ** 20,
    });
  }
});
// The message listener must not keep the process alive.
process.channel.unref();
