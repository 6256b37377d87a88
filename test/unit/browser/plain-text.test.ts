import { expect, test } from 'vitest';
import { toPlainText } from '../../../browser/console/plain-text.js';

test.each([
  ['Fish &amp; <b>chips</b>', 'Fish & chips'],
  ['AT&amp;T\nand more', 'AT&T\nand more'],
  ['List<String> &amp; x < y', 'List<String> &amp; x < y'],
  ['<p>One\n <i>two</i></p><ul><li>Three</li></ul>', 'One two\nThree'],
  ['<P CLASS="a">One<BR/>two', 'One\ntwo'],
  ['<style>p {}</style><script>alert(1)</script><!-- not <b>this</b> -->Shown', 'Shown'],
  ['<p>&#8364;&#x41;&unknown;&#xD800;&#9999999;</p>', '€A&unknown;\ufffd\ufffd'],
  ['<p>&amp;lt;b&amp;gt;</p>', '&lt;b&gt;'],
  ['<tr><td>a</td><td>b</td></tr>', 'a b'],
])('%s is read as %s', (text, plain) => {
  expect(toPlainText(text)).toBe(plain);
});

test.each(['<style>', '<!--', '<p ', '<a href="', '&#', ' \u2028', '<b>'])(
  'a long text of %s takes no time that grows faster than it',
  (part) => {
    const startedAt = performance.now();
    toPlainText(part.repeat(100_000));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  },
);
