import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);
const isAction = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && /\/(stop|start)\b/.test(path);

browsing(
  `${inChromium}, one dialog names all that will be stopped; who cancels it sends nothing, and has the focus back`,
  async ({ visit, sandbox }) => {
    const { page, dialog } = visit;
    await visit.choose('Stop', 'app01', 'cs0', 'db0');

    const asked = await dialog.innerText();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Stop …');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });

    for (const part of [
      'Stop 3 instances?',
      'N01',
      'rg-north · 11111111-2222',
      'app01',
      'cs0',
      'db0',
      'Running',
    ])
      expect(asked).toContain(part);
    expect(asked).toContain('Soft stop: takes no new users for 300 seconds, then stops.');
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Stop …');
    expect((await sandbox.calls()).filter(isAction)).toEqual([]);
    visit.expectPeace();
  },
);

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
  `${inChromium}, a dialog opened at once after a cancelled one is answered by itself`,
  async ({ visit }) => {
    const { page } = visit;
    await visit.check('app01').check();

    await page.evaluate(`(() => {
      const stop = [...document.querySelectorAll('.selection button')].find(({ textContent }) => textContent === 'Stop …');
      stop.click();
      document.getElementById('confirm-cancel').click();
      stop.click();
    })()`);
    await page.getByRole('button', { name: 'Stop app01' }).click();

    await visit.row('app01').getByText('Stop succeeded').waitFor();
    visit.expectPeace();
  },
);
