import { EventEmitter, once } from 'node:events';
import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { freePort } from '../../support/free-port.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);

browsing(
  `${inChromium}, one subscription follows all operations, with their progress, steps and times`,
  async ({ start, visitOf, onTestFinished }) => {
    // Slow enough to be looked at while it goes on.
    const sandbox = await startTestSandbox({ stepMs: 2_000 });
    onTestFinished(() => sandbox.stop());
    const { url } = await start({}, { MANAGEMENT_URL: sandbox.url });
    const visit = await visitOf(url);
    const { page, operation, stateOf } = visit;
    const started: string[] = [];
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        if (String(payload).includes('operationsProgress')) started.push(String(payload));
      }),
    );
    await page.reload();
    await visit.stopHard('app01', 'app02', 'nested', 'endless');
    await visit.go('Operations');
    await stateOf('Stop nested')
      .getByText(/^Running · [2468]0 %$/)
      .waitFor();
    const bar = operation('Stop nested').getByRole('progressbar', { name: 'Stop nested' });
    expect(Number(await bar.getAttribute('value'))).toBeGreaterThan(0);
    await expect
      .poll(() => operation('Stop nested').innerText())
      .toMatch(/Started .* · running for \d+ s · [\w-]+/);
    const time = operation('Stop nested').locator('time');
    await expect.poll(() => time.getAttribute('datetime')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    await expect.poll(() => time.getAttribute('title')).toMatch(/\d{4}.*:\d\d:/);
    await stateOf('Stop nested').getByText('Succeeded').waitFor();

    expect(started).toHaveLength(1);
    expect(JSON.parse(started[0] ?? '{}').payload.variables.ids).toHaveLength(4);
    await expect.poll(() => operation('Stop nested').innerText()).toMatch(/took \d+ s/);
    await page.getByText('1 running operation, 3 finished, 0 of them failed').waitFor();
    await page.getByRole('link', { name: 'Stop nested' }).click();
    await page.getByRole('heading', { name: 'Stop nested', level: 1 }).waitFor();
    await expect.poll(() => page.locator('.steps .steps .steps .steps').count()).toBeGreaterThan(0);
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, a failed operation is red, and says which step failed and why, each message once`,
  async ({ visit }) => {
    const { page, operation, stateOf } = visit;
    await visit.stopHard('fragile');
    await visit.row('fragile').getByText('Stop failed').waitFor();
    await visit.go('Operations');
    await stateOf('Stop fragile').getByText('Failed').waitFor();

    expect(
      (await operation('Stop fragile').locator('.failure').innerText()).split('\n').filter(Boolean),
    ).toEqual([
      'Failed step: stop-process',
      'StopFailed The instance could not be stopped.',
      'ProcessNotResponding The process did not end within its time.',
    ]);
    expect(
      await operation('Stop fragile').evaluate(
        (item) => item.ownerDocument.defaultView?.getComputedStyle(item).borderLeftColor,
      ),
    ).toBe('rgb(179, 38, 30)');
    // Ends are announced together, a moment after the list shows them.
    await expect.poll(() => page.locator('#news').textContent()).toBe('Stop fragile: Failed.');
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, what another tab starts is listed and followed, and its end is named where it was started`,
  async ({ visit, visitOf, url }) => {
    const other = await visitOf(url, { hash: '#/operations' });
    await other.page.getByText('No operations.').waitFor();

    await visit.stopHard('quick', 'fragile');

    await other.stateOf('Stop fragile').getByText('Failed').waitFor({ timeout: 30_000 });
    await visit.page
      .getByText('1 of 2 instances stopped. Not stopped: fragile.')
      .waitFor({ timeout: 30_000 });
    visit.expectPeace();
    other.expectPeace();
  },
);

browsing(
  `${inChromium}, operations are listed again on a later visit, and opened by whoever is given the address`,
  async ({ visit, visitOf, url, start }) => {
    const { page, stateOf } = visit;
    await visit.stopHard('endless');
    await visit.go('Operations');
    await stateOf('Stop endless').getByText('Running').waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Stop endless' }).click();
    const address = new URL(page.url());

    // Another caller has a list of its own.
    const { url: foreign } = await start(
      { token: 'another-token' },
      { OPERATION_SECRETS: 'a secret of another server' },
    );
    const empty = await visitOf(foreign, { hash: '#/operations' });
    await empty.page.getByText('No operations.').waitFor();
    const other = await visitOf(url, { hash: address.hash });
    await other.page
      .locator('.state')
      .getByText(/^Running · \d+ %$/)
      .waitFor();
    const broken = await visitOf(url, { hash: '#/operations/no-handle' });
    await broken.page.locator('.fault').getByText('is not the handle of an operation').waitFor();
    for (const each of [visit, other]) each.expectPeace();
  },
);

browsing(
  `${inChromium}, a connection that is lost is said to be, and tried again until all goes on`,
  async ({ start, visitOf }) => {
    const settings = { PORT: String(await freePort()), OPERATION_SECRETS: 'a secret of the tests' };
    const layer = await start({}, settings);
    const { connection, stateOf, stopHard, go } = await visitOf(layer.url);
    // One that does not end before the connection is lost, however slow the browser is.
    await stopHard('endless');
    await go('Operations');
    await stateOf('Stop endless').getByText('Running').waitFor();
    await connection.getByText('Live').waitFor();

    await layer.stop();
    await connection.getByText(/^Disconnected. Retrying in \d+ s.$/).waitFor();
    await start({}, settings);
    await connection.getByText('Live').waitFor({ timeout: 30_000 });
    await stateOf('Stop endless').getByText('Running').waitFor();

    expect(await stateOf('Stop endless').count()).toBe(1);
  },
);

browsing(
  `${inChromium}, instances stay as they were read after an operation, however late what was read before it arrives`,
  async ({ visit }) => {
    const { page } = visit;
    await visit.row('app01').getByText('Running').waitFor();
    const list = new EventEmitter();
    const released = once(list, 'release');
    const arrived = once(list, 'arrived');
    let isFirst = true;
    await page.route(/\/graphql$/, async (route) => {
      if (!isFirst || !route.request().postData()?.includes('query Systems')) return route.continue();
      isFirst = false;
      const response = await route.fetch();
      await released;
      await route.fulfill({ response });
      await (await route.request().response())?.finished();
      list.emit('arrived');
    });

    await visit.stopHard('app01');
    await visit.row('app01').getByText('Offline').waitFor();
    list.emit('release');
    await arrived;
    await page.evaluate('new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))');

    expect(await visit.row('app01').innerText()).toContain('Offline');
  },
);
