import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { chromiumPath, hasChromium } from '../chromium.ts';
import { environment } from '../environment.ts';
import { hasRedis } from '../redis-server.ts';

const tools = [
  { isHere: hasRedis, what: 'a Redis server (redis-server)', packageName: 'redis-server' },
  { isHere: hasChromium, what: `Chromium (${chromiumPath})`, packageName: 'chromium' },
];

const isSkipped = (module: TestModule) => [...module.children.allTests('skipped')].length;

/** Says at the end of a run how many tests were skipped for want of a program; in CI the run fails then. */
export function createMissingToolsReporter(): Reporter {
  let vitest: Vitest | null = null;
  return {
    onInit(started) {
      vitest = started;
    },
    onTestRunEnd(modules) {
      const missing = tools.filter(({ isHere }) => !isHere);
      const skipped = modules.reduce((sum, module) => sum + isSkipped(module), 0);
      if (missing.length === 0 || skipped === 0) return;
      const whats = missing.map(({ what }) => what).join(' and ');
      const packages = missing.map(({ packageName }) => packageName).join(' ');
      vitest?.logger.log(
        `\n ${skipped} tests were not run: this machine lacks ${whats}.\n To run them: apt-get install ${packages}\n`,
      );
      if (environment().CI) process.exitCode = 1;
    },
  };
}
