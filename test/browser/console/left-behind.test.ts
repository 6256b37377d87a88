import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { test } from './visiting.ts';

/** What the page keeps alive, after a garbage collection. */
async function countKept(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  await session.detach();
  return { nodes, jsEventListeners };
}

test.skipIf(!hasChromium)(
  `${inChromium}, pages that were left keep no rows and no listeners`,
  async ({ visit }) => {
    const { page, summary } = visit;
    const round = async () => {
      for (const name of ['Operations', 'Events', 'Upstreams']) {
        await visit.go(name);
        await page.getByRole('heading', { level: 1, name }).waitFor();
      }
      await visit.go('Fleet');
      await summary.getByText('2 virtual instances, 110 components').waitFor();
    };
    await round();
    await round();
    const before = await countKept(page);

    for (let rounds = 0; rounds < 8; rounds += 1) await round();

    // A table of the fleet alone has a hundred rows and some hundred listeners.
    await expect
      .poll(async () => (await countKept(page)).jsEventListeners - before.jsEventListeners)
      .toBeLessThan(50);
    expect((await countKept(page)).nodes - before.nodes).toBeLessThan(1_000);
    visit.expectPeace();
  },
);
