import axe from 'axe-core';
import type { Page } from 'playwright-core';

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
