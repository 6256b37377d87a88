import { expect } from 'vitest';
import { openExplorer } from '../browser/explorer/chromium.ts';
import { test } from '../browser/explorer/using.ts';
import { hasChromium } from '../support/chromium.ts';

// What WebKit does that Chromium does not is imitated here: Playwright cannot drive a WebKit of Debian.
const browsing = test.skipIf(!hasChromium);

browsing(
  'suggestions are shown as a whole where the editor positions them as in Safari',
  async ({ browser, url, onTestFinished }) => {
    const visit = await openExplorer(browser, url, { viewport: { width: 1280, height: 784 } });
    onTestFinished(() => visit.context.close());
    const { page } = visit;
    await page.addInitScript(`Object.defineProperty(navigator, 'vendor', { value: 'Apple Computer, Inc.' })`);
    await page.reload();
    await visit.untilSchema();
    const { height = 0 } = (await page.locator('#query').boundingBox()) ?? {};
    await visit.write(`{${'\n'.repeat(Math.floor(height / 20))}`);
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: 'companies' }).waitFor();
    // From the second measurement on it is positioned so.
    await page.keyboard.type('comp');

    const list = page.locator('#query .cm-tooltip-autocomplete');
    await expect
      .poll(() =>
        list.evaluate((tooltip) => tooltip.ownerDocument.defaultView?.getComputedStyle(tooltip).position),
      )
      .toBe('absolute');
    const corners = await list.evaluate((tooltip) => {
      const { left, right, top, bottom } = tooltip.getBoundingClientRect();
      const root = tooltip.getRootNode() as unknown as Pick<typeof tooltip.ownerDocument, 'elementFromPoint'>;
      const isSeen = (x: number, y: number) => tooltip.contains(root.elementFromPoint(x, y));
      return [left + 2, right - 2].flatMap((x) => [top + 2, bottom - 2].map((y) => isSeen(x, y)));
    });
    expect(corners).toEqual([true, true, true, true]);
  },
);

browsing(
  'a click on a button takes the caret from the editor, and one into an editor does not',
  async ({ visit }) => {
    const { page } = visit;
    const selections = () => page.evaluate('getSelection().rangeCount');
    await visit.open('Upstreams');
    await visit.editor('Query').click();
    expect(await selections()).toBe(1);

    await visit.send();
    await expect.poll(selections).toBe(0);
    await visit.editor('Variables').click();
    await page.keyboard.type('{');
    await visit.open('Find customers');
    await expect.poll(selections).toBe(0);
    await visit.editor('Query').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('# typed');

    await expect.poll(() => visit.editor('Query').innerText()).toMatch(/^# typed/);
  },
);
