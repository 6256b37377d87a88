import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

// Rules whose outcome depends on colours.
const colourRules = ['color-contrast', 'link-in-text-block'];

/**
 * What axe finds, as rule and element: by all its rules, or in the dark by those of colours. Run through the debugger,
 * which the page's policy does not bind.
 */
export async function violationsIn(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  // Axe leaves out the rule of WCAG 2.2 unless it is asked for.
  const rules =
    colorScheme === 'dark' ? { runOnly: colourRules } : { rules: { 'target-size': { enabled: true } } };
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
  return page.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`);
}

/** Waits until no text is smaller than the smallest of the pages' sizes, 0.6875rem, where the browser's default size is 32 px. */
export async function expectLargeText(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
  const isText = `one.checkVisibility() && (one.matches('input') || [...one.childNodes].some(({ nodeType }) => nodeType === 3))`;
  await expect
    .poll(() =>
      page.evaluate(`[...document.body.querySelectorAll('*')].filter((one) => ${isText})
        .filter((one) => parseFloat(getComputedStyle(one).fontSize) < 22).map((one) => one.outerHTML)`),
    )
    .toEqual([]);
}

/** Whether with forced colours an element differs from another one by its background. */
export async function expectToDiffer(page: Page, chosen: string, other: string) {
  const backgroundOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((one) => one.ownerDocument.defaultView?.getComputedStyle(one).backgroundColor);
  expect(await backgroundOf(chosen), chosen).not.toBe(await backgroundOf(other));
}
