import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { violationsIn } from '../accessibility.ts';
import { test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);

for (const colorScheme of ['light', 'dark'] as const)
  browsing(
    `${inChromium}, axe finds nothing in any state, ${colorScheme}, and nothing is wider than a phone or lost on a wide screen`,
    async ({ visitOf, url, start }) => {
      const visit = await visitOf(url, { colorScheme, viewport: { width: 320, height: 700 } });
      const { page } = visit;
      const check = async (state: string) => {
        for (const width of [320, 768, 1920]) {
          await page.setViewportSize({ width, height: 900 });
          expect(await page.evaluate('document.documentElement.scrollWidth'), state).toBe(width);
          if (width === 320 || (width === 1920 && colorScheme === 'light'))
            expect(await violationsIn(page, colorScheme), `${state}, ${width} px`).toEqual([]);
        }
      };
      await visit.summary.getByText('110 components').waitFor();
      await check('fleet');
      for (const one of ['fragile', 'busy', 'endless']) await visit.check(one).check();
      await page.getByRole('button', { name: 'Stop …' }).click();
      await check('dialog');
      await visit.dialog.getByRole('radio', { name: 'Hard stop' }).check();
      await visit.dialog.getByRole('button', { name: /^Hard-stop/ }).click();
      await visit.refusal.waitFor();
      await visit.row('fragile').getByText('Stop failed').waitFor({ state: 'attached' });
      await check('refused and failed');
      await visit.go('Operations');
      await visit.stateOf('Stop fragile').waitFor();
      await check('operations');
      await page.getByRole('link', { name: 'Stop fragile' }).click();
      await page.locator('.steps').waitFor();
      await check('operation');
      await visit.go('Health events');
      await page.locator('.events li').first().waitFor();
      await check('events');
      await page.getByRole('link', { name: 'Virtual machines in West restart' }).click();
      await page.locator('.resources li').first().waitFor();
      await check('event');
      await visit.go('Fleet');
      await page.getByLabel('Search').fill('E01 app03');
      await page.getByRole('link', { name: 'app03' }).click();
      await page.locator('.events li').first().waitFor();
      await check('instance');
      await visit.go('Upstreams');
      await page.locator('.upstreams li').first().waitFor();
      await check('upstreams');
      await visit.go('Fleet');
      await page.getByLabel('Search').fill('nowhere');
      await page.getByText('Nothing matches.').waitFor();
      await check('nothing found');
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
        colorScheme === 'light' ? 'rgb(245, 246, 248)' : 'rgb(14, 18, 23)',
      );
      visit.expectPeace();

      const { url: strange } = await start({ token: null });
      const signedOut = await visitOf(strange, { colorScheme, viewport: { width: 320, height: 700 } });
      await signedOut.page.getByRole('button').waitFor();
      expect(await violationsIn(signedOut.page, colorScheme), 'signed out').toEqual([]);
    },
  );

browsing(`${inChromium}, all of it is done by the keyboard`, async ({ visit, sandbox }) => {
  const { page, dialog } = visit;
  const focused = page.locator(':focus');
  const nameOfFocus = () =>
    focused
      .evaluate(
        (one) =>
          one.getAttribute('aria-label') ?? one.closest('label')?.textContent.trim() ?? one.textContent,
      )
      .catch(() => '');
  const tabTo = async (name: string) => {
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press('Tab');
      if ((await nameOfFocus()) === name) return;
    }
    throw new Error(`${name} is not reached by Tab.`);
  };
  await visit.summary.getByText('110 components').waitFor();

  await page.keyboard.press('Tab');
  expect(await nameOfFocus()).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  await expect.poll(() => visit.isFocused('main')).toBe(true);
  await tabTo('Search');
  await page.keyboard.type('n01 app0');
  await visit.summary.getByText('2 of 112 instances').waitFor();
  await tabTo('Select all 2');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  await page.keyboard.press('Space');
  await tabTo('Stop …');
  await page.keyboard.press('Enter');
  expect(await nameOfFocus()).toBe('Cancel');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  expect(await nameOfFocus()).toBe('Stop …');
  expect(
    (await sandbox.calls()).filter(
      ({ method, path }) => method === 'POST' && !path.includes('fetchEventDetails'),
    ),
  ).toEqual([]);
  await page.keyboard.press('Enter');
  await tabTo('Soft stop');
  await page.keyboard.press('ArrowRight');
  await tabTo('Hard-stop 2 instances');
  await page.keyboard.press('Enter');
  await visit.row('app01').getByText('Stop succeeded').waitFor();
  await expect.poll(() => visit.isFocused('h1')).toBe(true);
  for (const live of await page.locator('[aria-live], [role=alert]').all())
    expect(await live.getAttribute('aria-live')).toBe('polite');
  visit.expectPeace();
});
