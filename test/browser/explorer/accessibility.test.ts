import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { violationsIn } from '../accessibility.ts';
import { openExplorer } from './chromium.ts';
import { test } from './using.ts';

const browsing = test.skipIf(!hasChromium);

for (const colorScheme of ['light', 'dark'] as const)
  browsing(
    `${inChromium}, axe finds nothing in any state, ${colorScheme}, and nothing is wider than the screen from 320 to 1,920 px`,
    async ({ browser, url, onTestFinished }) => {
      const visit = await openExplorer(browser, url, { colorScheme });
      onTestFinished(() => visit.context.close());
      const { page } = visit;
      const check = async (state: string) => {
        for (const width of [320, 768, 1920]) {
          await page.setViewportSize({ width, height: 900 });
          expect(await violationsIn(page, colorScheme), `${state}, ${width} px`).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth'), state).toBe(width);
          expect(
            (await page.locator('#query').boundingBox())?.height,
            `${state}, ${width} px`,
          ).toBeGreaterThan(250);
        }
      };
      await visit.untilSchema();
      await visit.showTab('Schema');
      await check('operations of the schema');
      await visit.send();
      await visit.result.getByText('"Harbour & Heath"').waitFor();
      await check('response');
      await visit.showTab('Calls (2)');
      await check('calls');
      await visit.showTab('History');
      await check('history');
      await visit.showTab('Schema');
      await page.getByLabel('Search the schema').fill('sales');
      await check('search');
      await page.getByRole('button', { name: 'SalesOrder', exact: true }).first().click();
      await page.getByRole('heading', { name: 'SalesOrder object' }).waitFor();
      await check('type');
      await page.setViewportSize({ width: 1280, height: 900 });
      await visit.write('{ companies { nodes { } }');
      await visit.editor('Query').click();
      await page.keyboard.press('Control+End');
      for (let back = 0; back < 4; back++) await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Control+Space');
      await page.getByRole('listbox', { name: 'Completions' }).waitFor();
      // The focus stays in the editor, which names the list and its active option: the list is not to be focused itself.
      const found = await violationsIn(page, colorScheme);
      expect(found.filter((one) => !/^scrollable-region-focusable #query,#cm-ac/.test(one))).toEqual([]);
    },
  );
