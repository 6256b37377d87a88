import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { freePort } from '../../support/free-port.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);
const isAction = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && /\/(stop|start)\b/.test(path);

browsing(
  `${inChromium}, instances of every kind are stopped softly, each once, and a virtual instance covers its parts`,
  async ({ visit, sandbox }) => {
    const { page, dialog } = visit;
    const system = page.getByRole('checkbox', { name: 'Select E01', exact: true });
    // Rows that are read meanwhile may replace the one that is clicked.
    await expect
      .poll(
        () =>
          system.check({ timeout: 2_000 }).then(
            () => true,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true);
    for (const part of ['app01', 'cs0', 'db1']) await visit.check(part, 'E01').check();
    await visit.choose('Stop', 'app02');
    const asked = await dialog.innerText();
    await dialog.getByLabel('Soft stop timeout (seconds)').fill('30');
    await expect.poll(() => dialog.innerText()).toContain('takes no new users for 30 seconds');
    await dialog.getByLabel('Production. Type E01 to confirm').fill('N01');
    await dialog.getByRole('button', { name: 'Stop 3 instances' }).click();
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByLabel('Production. Type E01 to confirm').fill('E01');
    await dialog.getByRole('button', { name: 'Stop 3 instances' }).click();
    await page.getByText(/^(Stopping 3 instances|3 of 3 instances stopped)\.$/).waitFor();

    expect(asked).toContain('E01Production');
    expect(asked).toContain('2 selected instances are part of a selected virtual instance, and not listed.');
    const actions = async () => (await sandbox.calls()).filter(isAction);
    await expect.poll(async () => (await actions()).length).toBe(3);
    const sent = await actions();
    expect(sent.map(({ path }) => path.replace(/^.*virtualInstances\/|\?.*$/g, '')).toSorted()).toEqual([
      'e01/databaseInstances/db1/stop',
      'e01/stop',
      'n01/applicationInstances/app02/stop',
    ]);
    for (const { body } of sent) expect(JSON.parse(body)).toEqual({ softStopTimeoutSeconds: 30 });
    await expect.poll(() => page.getByText('selected', { exact: false }).isVisible()).toBe(false);
    await expect.poll(() => visit.isFocused('h1')).toBe(true);
    await visit
      .row('app02')
      .getByText(/^Stop (\d+ %|succeeded)$/)
      .waitFor();
    await visit.row('app02').getByText('Offline').waitFor();
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, what is refused says why, each reason once, and does not keep the others back`,
  async ({ visit }) => {
    const { page, refusal } = visit;
    await visit.stopHard('busy', 'conflict', 'invalid', 'app01');
    await refusal.getByText('3 instances not stopped').waitFor();

    await expect
      .poll(() => refusal.getByRole('listitem').allInnerTexts())
      .toEqual([
        'busy: AnotherOperationInProgress: Another operation is in progress on the instance.',
        'conflict: Conflict: The instance is not in a state in which this can be done.',
        'invalid: InvalidParameter: A soft stop is not supported by the kernel of the instance.',
      ]);
    await visit.row('app01').getByText('Offline').waitFor();
    await refusal.getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(() => refusal.count()).toBe(0);
    await expect.poll(() => visit.isFocused('h1')).toBe(true);
    await page.getByLabel('Status', { exact: true }).selectOption('Offline');
    await visit.choose('Start', 'app01');
    await visit.dialog.getByRole('button', { name: 'Start app01' }).click();
    await page.getByLabel('Status', { exact: true }).selectOption('');
    await visit.row('app01').getByText('Start succeeded').waitFor();
    await visit.row('app01').getByText('Running', { exact: true }).waitFor();
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, one subscription follows all operations, with their progress and steps`,
  async ({ start, visitOf, onTestFinished }) => {
    // Slow enough to be looked at while it goes on.
    const sandbox = await startTestSandbox({ stepMs: 2_000 });
    onTestFinished(() => sandbox.stop());
    const { url } = await start({}, { MANAGEMENT_URL: sandbox.url });
    const visit = await visitOf(url);
    const { page, stateOf } = visit;
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
    await stateOf('Stop nested').getByText('Succeeded').waitFor();

    expect(started).toHaveLength(1);
    expect(JSON.parse(started[0] ?? '{}').payload.variables.ids).toHaveLength(4);
    await page.getByText('1 running operation, 3 finished, 0 of them failed').waitFor();
    await page.getByRole('link', { name: 'Stop nested' }).click();
    await page.getByRole('heading', { name: 'Stop nested', level: 1 }).waitFor();
    await expect.poll(() => page.locator('.steps .steps .steps .steps').count()).toBeGreaterThan(0);
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, operations are listed again on a later visit, and opened by whoever is given the address`,
  async ({ visit, visitOf, url }) => {
    const { page, stateOf } = visit;
    await visit.stopHard('endless');
    await visit.go('Operations');
    await stateOf('Stop endless').getByText('Running').waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Stop endless' }).click();
    const address = new URL(page.url());

    const other = await visitOf(url, { hash: address.hash });
    await other.page
      .locator('.state')
      .getByText(/^Running · \d+ %$/)
      .waitFor();
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
