import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);

/** The limit of the server for one message, in bytes. */
const maxMessage = 64 * 1024;

/** Watches the messages that follow operations. `cut` closes the connection with a code, `refuse` those to come as well. */
async function watchSocket(page: Page) {
  const followed: string[][] = [];
  const lengths: number[] = [];
  let close = async (_code: number) => {};
  let connections = 0;
  let eventSubscriptions = 0;
  let isRefusing = false;
  await page.routeWebSocket(/\/graphql$/, (socket) => {
    if (isRefusing) return void socket.close({ code: 4500 });
    const server = socket.connectToServer();
    connections += 1;
    close = async (code) => {
      await socket.close({ code });
      await server.close();
    };
    socket.onMessage((text) => {
      const { payload } = JSON.parse(String(text));
      if (payload?.query?.includes('healthEventsChanged')) eventSubscriptions += 1;
      if (payload?.query?.includes('operationsProgress')) {
        followed.push(payload.variables.ids);
        lengths.push(Buffer.byteLength(String(text)));
      }
      server.send(text);
    });
  });
  return {
    followed,
    lengths,
    connections: () => connections,
    eventSubscriptions: () => eventSubscriptions,
    cut: (code: number) => close(code),
    async refuse(isNow: boolean) {
      isRefusing = isNow;
      if (isNow) await close(1009);
    },
  };
}

browsing(
  `${inChromium}, 100 stops of 100 instances are followed to their ends, however often the connection is cut meanwhile`,
  async ({ start, visitOf, onTestFinished }) => {
    const sandbox = await startTestSandbox({ stepMs: 4_000 });
    onTestFinished(() => sandbox.stop());
    await sandbox.send('POST', '/sandbox/virtual-instances', { name: 'M01', applicationInstances: 100 });
    const { url } = await start({}, { MANAGEMENT_URL: sandbox.url });
    const visit = await visitOf(url);
    const { page, connection } = visit;
    const socket = await watchSocket(page);
    await page.reload();
    await page.getByLabel('Kind', { exact: true }).selectOption('Application server');
    await page.getByLabel('Search').fill('m01');
    await page.getByLabel('Select all 100').check();
    await page.getByRole('button', { name: 'Stop …' }).click();
    await visit.dialog.getByLabel('Production. Type M01 to confirm').fill('M01');
    await visit.dialog.getByRole('button', { name: 'Stop 100 instances' }).click();
    await visit.go('Operations');
    await visit.summary.getByText(/^[1-9]\d* running operations/).waitFor();
    await connection.getByText('Live').waitFor();

    // A message that is too long, an end without a reason, an error of the server.
    for (const code of [1009, 1000, 4500]) {
      const before = socket.connections();
      const eventsBefore = socket.eventSubscriptions();
      await socket.cut(code);
      await expect.poll(socket.connections).toBe(before + 1);
      await expect.poll(socket.eventSubscriptions).toBe(eventsBefore + 1);
      await connection.getByText('Live').waitFor();
    }

    await visit.summary
      .getByText('0 running operations, 100 finished, 0 of them failed')
      .waitFor({ timeout: 60_000 });
    expect(socket.followed.length).toBeGreaterThan(1);
    expect(Math.max(...socket.lengths)).toBeLessThan(maxMessage);
    expect(Math.max(...socket.followed.map(({ length }) => length))).toBeLessThanOrEqual(100);
  },
);

browsing(
  `${inChromium}, an operation that was not read for a minute is not shown as running until it is read again`,
  async ({ visit }) => {
    const { page, stateOf } = visit;
    await page.clock.install();
    const socket = await watchSocket(page);
    await page.reload();
    await visit.stopHard('endless');
    await visit.go('Operations');
    await stateOf('Stop endless').getByText('Running').waitFor();

    await page.route(/\/graphql$/, (route) => route.abort());
    await socket.refuse(true);
    await page.clock.runFor(70_000);
    await stateOf('Stop endless').getByText('Not read').waitFor();
    await visit.summary.getByText('0 running operations, 0 finished, 0 of them failed, 1 not read').waitFor();
    expect(await page.getByRole('navigation').getByText('running').count()).toBe(0);

    await page.unroute(/\/graphql$/);
    await socket.refuse(false);
    await page.clock.runFor(15_000);
    await stateOf('Stop endless').getByText('Running').waitFor();
  },
);
