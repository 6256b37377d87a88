import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { freePort } from '../../support/redis.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { keptBy, test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);
const isStop = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && path.includes('/stop');

browsing(
  `${inChromium}, a stop is asked about, and followed to its end with the steps within its steps`,
  async ({ start, visitOf, onTestFinished }) => {
    // Slow enough to be looked at while it goes on.
    const sandbox = await startTestSandbox({ stepMs: 400 });
    onTestFinished(() => sandbox.stop());
    const { url } = await start({}, { MANAGEMENT_URL: sandbox.url });
    const visit = await visitOf(url);
    const { page, dialog, card } = visit;
    // Every state the card has been in.
    await page.evaluate(`new MutationObserver(() => {
      const text = document.querySelector('#operation-list .state')?.textContent;
      if (text && !(window.states ??= []).includes(text)) window.states.push(text);
    }).observe(document.querySelector('#operation-list'), { subtree: true, childList: true, characterData: true })`);

    await visit.name('nested');
    await page.getByLabel('Soft stop timeout (seconds)').fill('30');
    await visit.stop.click();
    expect(await dialog.innerText()).toContain('takes no new users for 30 seconds');
    await dialog.getByRole('button', { name: 'Stop nested', exact: true }).click();
    const operation = card('Stop of nested');
    await visit.stateOf('Stop of nested').getByText('Succeeded · 100 %').waitFor();

    const states: string[] = await page.evaluate('window.states');
    const percents = states.flatMap((state) => /^▸ Running · (\d+) %$/.exec(state)?.[1] ?? []).map(Number);
    expect(percents.length).toBeGreaterThanOrEqual(2);
    expect(percents).toEqual(percents.toSorted((one, other) => one - other));
    expect(states.at(-1)).toBe('✓ Succeeded · 100 %');
    expect(await operation.getByRole('progressbar', { name: 'Stop of nested' }).getAttribute('value')).toBe(
      '100',
    );
    expect(await operation.locator('ol ol ol ol li').count()).toBeGreaterThan(0);
    const [sent, ...others] = (await sandbox.calls()).filter(isStop);
    expect(JSON.parse(sent?.body ?? '')).toEqual({ softStopTimeoutSeconds: 30 });
    expect(others).toEqual([]);
    expect(await page.locator('#news').innerText()).toBe('Stop of nested: Succeeded.');
    visit.expectPeace();
  },
);

browsing(`${inChromium}, who thinks better of a hard stop sends nothing`, async ({ visit, sandbox }) => {
  const { page, dialog, stop } = visit;

  await stop.click();
  const asked = await dialog.innerText();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await stop.click();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  expect(asked).toContain('Stop app01?');
  expect(asked).toContain('N01 · rg-north · 11111111-2222-4333-8444-555555555555');
  expect(asked).toContain('Hard stop: users are disconnected immediately.');
  expect(await visit.isFocused('#stop')).toBe(true);
  expect(await page.getByText('No operations').isVisible()).toBe(true);
  expect((await sandbox.calls()).filter(isStop)).toEqual([]);
  visit.expectPeace();
});

browsing(
  `${inChromium}, an instance is looked at and started; what is refused or fails says why`,
  async ({ visit }) => {
    const { page, dialog, card, stateOf } = visit;
    const alert = page.locator('#instance-fault');

    await visit.name('offline');
    await page.keyboard.press('Enter');
    await page.getByText('offline is Offline · Unknown.').waitFor();
    await visit.start.click();
    await dialog.getByRole('button', { name: 'Start offline' }).click();
    await stateOf('Start of offline').getByText('Succeeded · 100 %').waitFor();
    await visit.stopHard('busy');
    await alert.getByText('AnotherOperationInProgress: Another operation is in progress').waitFor();
    expect(await visit.isFocused('#stop')).toBe(true);
    await visit.stopHard('fragile');
    await card('Stop of fragile')
      .getByText('StopFailed: The instance could not be stopped.')
      .first()
      .waitFor();
    await card('Stop of fragile').getByText('ProcessNotResponding').first().waitFor();

    expect(await alert.innerText()).toBe('');
    expect(await card('Stop of fragile').locator('.state').first().innerText()).toContain('✗ Failed');
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, what is followed is still followed on a later visit, and by whoever is given the address`,
  async ({ visit, visitOf, url }) => {
    const { page, stateOf } = visit;
    await visit.stopHard('endless');
    await stateOf('Stop of endless').getByText('Running · 80 %').waitFor();
    const address = await page.getByRole('link', { name: 'Share link' }).getAttribute('href');
    const handle = address?.replace('#operation=', '') ?? '';

    await page.reload();
    await stateOf('Stop of endless').getByText('Running · 80 %').waitFor();
    const other = await visitOf(url, { hash: address ?? '' });
    const shared = other.page.locator('#operation-list > li');
    await shared.getByText('Running · 80 %').first().waitFor();
    await other.page.reload();
    await shared.getByText('Running · 80 %').first().waitFor();
    const third = await visitOf(url);
    await third.page.getByLabel('Handle or share link').fill('no handle');
    await third.page.keyboard.press('Enter');
    await third.page.getByText('Not a handle').waitFor();
    await third.page.getByLabel('Handle or share link').fill(`${url}/console${address}`);
    await third.page.getByRole('button', { name: 'Follow' }).click();
    await third.page.locator('#operation-list > li').getByText('Running · 80 %').first().waitFor();

    expect(other.page.url()).toBe(`${url}/console`);
    const { local, session } = await keptBy(page);
    const [[key, list] = [], ...more] = Object.entries(local);
    expect(key).toMatch(/^tributary\.console\.[\da-f]{16}$/);
    expect(JSON.parse(list ?? '')).toMatchObject([{ id: handle, action: 'stop' }]);
    expect(more).toEqual([]);
    expect(session).toEqual({});
    for (const each of [visit, other, third]) each.expectPeace();
  },
);

browsing(
  `${inChromium}, finished operations are cleared and those that run stay; one can be removed`,
  async ({ visit }) => {
    const { page, card, stateOf } = visit;
    const clear = page.getByRole('button', { name: 'Clear finished' });
    await visit.stopHard('endless');
    await stateOf('Stop of endless').getByText('Running').waitFor();
    expect(await clear.isDisabled()).toBe(true);
    await visit.stopHard('quick');
    await stateOf('Stop of quick').getByText('Succeeded').waitFor();

    // Another tab of this browser shows the same, without being loaded again.
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await tab.getByRole('listitem', { name: 'Stop of quick' }).waitFor();
    await clear.click();
    await tab.getByRole('listitem', { name: 'Stop of quick' }).waitFor({ state: 'detached' });

    expect(await card('Stop of quick').count()).toBe(0);
    expect(await card('Stop of endless').count()).toBe(1);
    expect(await visit.isFocused('#operations')).toBe(true);
    await card('Stop of endless').getByRole('button', { name: 'Remove' }).click();
    await page.reload();
    await page.getByText('No operations').waitFor();
    expect(Object.values((await keptBy(page)).local)).toEqual(['[]']);
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, a connection that is lost is said to be, and tried again until all goes on`,
  async ({ start, visitOf }) => {
    const settings = { PORT: String(await freePort()), OPERATION_SECRETS: 'a secret of the tests' };
    const layer = await start({}, settings);
    const { page, stateOf, connection, stopHard } = await visitOf(layer.url);
    // One that does not end before the connection is lost, however slow the browser is.
    await stopHard('endless');
    await stateOf('Stop of endless').getByText('Running').waitFor();
    await connection.getByText('Live').waitFor();

    await layer.stop();
    await connection.getByText(/^Disconnected. Retrying in \d+ s.$/).waitFor();
    await start({}, settings);
    await connection.getByText('Live').waitFor();
    await stateOf('Stop of endless').getByText('Running').waitFor();

    expect(await page.locator('#operation-list > li').count()).toBe(1);
  },
);
