import { describe, expect } from 'vitest';
import { convertText } from '../../src/graph/texts/text-format.ts';
import { hostileMarkup } from '../support/cases/hostile-markup.ts';
import { hasChromium, inChromium } from '../support/chromium.ts';
import { testInBrowser as test } from './explorer/chromium.ts';

const harmless = new Set(
  'a b blockquote br caption code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q s samp small span strong sub sup table tbody td tfoot th thead tr u ul var'.split(
    ' ',
  ),
);

// What runs in the page, as text: its types are not those of Node.js.
const show = `(html) => new Promise((resolve) => {
  window.ran = false;
  window.alert = window.f = () => { window.ran = true; };
  const place = document.createElement('div');
  document.body.replaceChildren(place);
  place.innerHTML = html;
  // Again, as an editor would: what mutates does so now.
  place.innerHTML = place.innerHTML;
  setTimeout(() => resolve({
    ran: window.ran,
    elements: [...place.querySelectorAll('*')].map(({ localName }) => localName),
    attributes: [...place.querySelectorAll('*')].flatMap(({ attributes }) => [...attributes].map(({ name }) => name)),
    links: [...place.querySelectorAll('a[href]')].map(({ protocol }) => protocol),
  }), 20);
})`;

interface Shown {
  readonly ran: boolean;
  readonly elements: readonly string[];
  readonly attributes: readonly string[];
  readonly links: readonly string[];
}

describe.runIf(hasChromium)(inChromium, () => {
  test('a browser finds nothing but harmless elements in sanitized HTML, and runs nothing', async ({
    browser,
  }) => {
    const page = await browser.newPage();
    const display = (html: string) => page.evaluate<Shown>(`(${show})(${JSON.stringify(html)})`);
    try {
      for (const text of [...hostileMarkup, hostileMarkup.join(''), hostileMarkup.toReversed().join('<p>')]) {
        const { ran, elements, attributes, links } = await display(
          await convertText(text, 'HTML', 'a caller'),
        );

        expect(ran, text).toBe(false);
        expect(
          elements.filter((name) => !harmless.has(name)),
          text,
        ).toEqual([]);
        expect(
          attributes.filter((name) => !['href', 'rel', 'colspan', 'rowspan'].includes(name)),
          text,
        ).toEqual([]);
        for (const protocol of links) expect(protocol, text).toMatch(/^(https?|mailto):$/);
      }
      // The page would notice.
      expect(await display('<img src=x onerror=alert(1)>')).toMatchObject({ elements: ['img'] });
      await expect.poll(async () => (await display('<img src=x onerror=alert(1)>')).ran).toBe(true);
    } finally {
      await page.close();
    }
  });
});
