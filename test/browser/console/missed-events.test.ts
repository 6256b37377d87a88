import { EventEmitter, once } from 'node:events';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { freePort } from '../../support/free-port.ts';
import { test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);

const resolved = { trackingId: 'PM_8-SQL', properties: { status: 'Resolved' } };

browsing(
  `${inChromium}, what happened while the connection was lost is shown once it is restored`,
  async ({ start, visitOf, sandbox }) => {
    const settings = { PORT: String(await freePort()), OPERATION_SECRETS: 'a secret of the tests' };
    const layer = await start({}, settings);
    const visit = await visitOf(layer.url, { hash: '#/events' });
    await visit.summary.getByText('9 active events').waitFor();
    await visit.connection.getByText('Live').waitFor();

    await layer.stop();
    await visit.connection.getByText(/^Disconnected\./).waitFor();
    await sandbox.send('POST', '/sandbox/events', resolved);
    await start({}, settings);
    // However long the last wait before another attempt would be.
    await visit.page.evaluate(`dispatchEvent(new Event('online'))`);

    await expect.poll(() => visit.summary.innerText()).toContain('8 active events');
  },
);

/** Holds back what one subscription is answered; `refuse` refuses it as an overloaded server does. */
async function holdSubscription(page: Page, field: string) {
  let refuseHeld: (() => void) | undefined;
  await page.routeWebSocket(/\/graphql$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const { id, type, payload } = JSON.parse(String(text));
      if (refuseHeld || type !== 'subscribe' || !payload.query.includes(field)) return server.send(text);
      const errors = [{ message: 'Held by the test.', extensions: { code: 'OVERLOADED' } }];
      refuseHeld = () => socket.send(JSON.stringify({ id, type: 'error', payload: errors }));
    });
  });
  return { isHeld: () => refuseHeld !== undefined, refuse: () => refuseHeld?.() };
}

browsing(
  `${inChromium}, what happened before a subscription that was refused for a moment is shown`,
  async ({ visit, sandbox }) => {
    const { page, summary } = visit;
    const { isHeld, refuse } = await holdSubscription(page, 'healthEventsChanged');
    await page.evaluate(`location.hash = '#/events'`);
    await page.reload();
    await summary.getByText('9 active events').waitFor();
    await expect.poll(isHeld).toBe(true);

    await sandbox.send('POST', '/sandbox/events', resolved);
    refuse();

    await expect.poll(() => summary.innerText()).toContain('8 active events');
  },
);

browsing(
  `${inChromium}, a list that was read before an event came does not replace the event`,
  async ({ visit, sandbox }) => {
    const { page, summary } = visit;
    const list = new EventEmitter();
    const isRead = once(list, 'read');
    await page.route(/\/graphql$/, async (route) => {
      if (!route.request().postData()?.includes('healthEvents(')) return route.continue();
      const response = await route.fetch();
      const isReleased = once(list, 'release');
      list.emit('read');
      await isReleased;
      return route.fulfill({ response });
    });
    await page.evaluate(`location.hash = '#/events'`);
    await page.reload();
    await isRead;
    await visit.connection.getByText('Live').waitFor();
    await sandbox.forgetCalls();
    // From the second poll on, changes are pushed.
    const polls = async () => (await sandbox.calls()).filter(({ path }) => path.includes('/events'));
    await expect.poll(async () => (await polls()).length).toBeGreaterThanOrEqual(2);

    await sandbox.send('POST', '/sandbox/events', resolved);
    await page
      .locator('#news')
      .getByText(/^Health event .*: new\.$/)
      .waitFor({ state: 'attached' });
    list.emit('release');

    await summary.getByText('8 active events').waitFor();
  },
);
