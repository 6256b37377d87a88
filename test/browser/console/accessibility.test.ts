import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { test, type Visit } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);

browsing(`${inChromium}, all of it is done by the keyboard`, async ({ visit, sandbox }) => {
  const { page, dialog, card } = visit;
  const focused = page.locator(':focus');
  const tabTo = async (name: string) => {
    for (let step = 0; step < 30 && (await focused.count()) + 1; step++) {
      await page.keyboard.press('Tab');
      if ((await focused.innerText().catch(() => '')) === name) return;
    }
    throw new Error(`${name} is not reached by Tab.`);
  };
  await page.getByText('active events').waitFor();

  await page.keyboard.press('Tab');
  expect(await focused.innerText()).toBe('Skip to the content');
  await tabTo('Stop …');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  await page.keyboard.press('Enter');
  expect(await focused.innerText()).toBe('Cancel');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  expect(await visit.isFocused('#stop')).toBe(true);
  expect((await sandbox.calls()).filter(({ method }) => method === 'POST')).toEqual([]);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await card('Stop of app01').waitFor();
  await expect.poll(() => visit.isFocused('#operation-list > li')).toBe(true);
  await page.locator('summary').first().focus();
  await page.keyboard.press('Enter');
  await page.getByText('Hosts of one row lose their power supply.').waitFor();
  visit.expectPeace();
});

browsing(
  `${inChromium}, everything has a role and a name, and what can be read can be read in light and dark, also on a phone`,
  async ({ start, visitOf }) => {
    const { url } = await start();
    for (const colorScheme of ['light', 'dark'] as const) {
      const visit = await visitOf(url, { colorScheme, viewport: { width: 360, height: 740 } });
      const { page } = visit;
      await visit.stopHard('fragile');
      await visit.card('Stop of fragile').getByText('StopFailed').first().waitFor();
      await page.locator('summary').first().click();
      await page.getByText('Hosts of one row lose their power supply.').waitFor();
      await visit.stop.click();

      expect(await contrastFaults(visit), colorScheme).toEqual([]);
      await page.keyboard.press('Escape');
      expect(await contrastFaults(visit), colorScheme).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
        colorScheme === 'light' ? 'rgb(244, 246, 248)' : 'rgb(15, 19, 24)',
      );
      expect(await namelessIn(visit)).toEqual([]);
      visit.expectPeace();
    }
  },
);

browsing(`${inChromium}, the page is read out as it is built`, async ({ visit }) => {
  const { page } = visit;
  await page.getByText('active events').waitFor();

  const snapshot = await page.locator('body').ariaSnapshot();

  for (const part of [
    '- banner:',
    '- heading "Console" [level=1]',
    '- main:',
    '- region "Upstreams":',
    '- region "Operations":',
    '- region "Stop or start an instance":',
    '- region "Health events":',
    '- textbox "Subscription": 11111111-2222-4333-8444-555555555555',
    '- spinbutton "Soft stop timeout (seconds)"',
    '- button "Clear finished" [disabled]',
    '- heading "Virtual machines in West restart" [level=3]',
  ])
    expect(snapshot).toContain(part);
  expect(snapshot).not.toContain('dialog');
  await visit.stop.click();
  const dialog = await visit.dialog.ariaSnapshot();
  expect(dialog).toContain('- dialog "Stop app01?"');
  expect(dialog).toContain('- button "Hard-stop app01"');
  visit.expectPeace();
});

/** Texts that stand out too little from what is behind them: 4.5 to 1 is the least (WCAG AA). */
const contrastFaults = ({ page }: Visit): Promise<string[]> =>
  page.evaluate(`(() => {
    const numbers = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
    const light = ([r, g, b]) => [r, g, b]
      .map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
      .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
    const behind = (element) => {
      const color = numbers(getComputedStyle(element).backgroundColor);
      return color.length === 3 || color[3] === 1 ? color : behind(element.parentElement);
    };
    const texts = [...document.querySelectorAll('body *')].filter((element) =>
      element.checkVisibility() &&
      (element instanceof HTMLInputElement || [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())));
    if (texts.length < 60) return ['There is too little to read: ' + texts.length];
    return texts.flatMap((element) => {
      const [one, other] = [light(numbers(getComputedStyle(element).color)), light(behind(element))].sort((a, b) => b - a);
      const ratio = (one + 0.05) / (other + 0.05);
      return ratio < 4.5 ? [element.tagName + ' ' + element.textContent.slice(0, 40) + ': ' + ratio.toFixed(2)] : [];
    });
  })()`);

/** What can be used, or shows how far something is, and has no name for who cannot see it; headings that skip a level. */
async function namelessIn({ page }: Visit): Promise<string[]> {
  const snapshot = await page.locator('body').ariaSnapshot();
  const lines = snapshot.split('\n').map((line) => line.trim());
  const nameless = lines.filter((line) =>
    /^- (button|textbox|spinbutton|link|progressbar|region|heading)( \[|:|$)/.test(line),
  );
  const levels = lines.flatMap((line) => /^- heading .*\[level=(\d)\]/.exec(line)?.[1] ?? []).map(Number);
  const skipped = levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1);
  return [...nameless, ...skipped.map((level) => `a heading of level ${level} below none of ${level - 1}`)];
}
