import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { convertText } from '../../../../src/graph/texts/text-format.ts';
import { hostileMarkup } from '../../../support/cases/hostile-markup.ts';

const html = async (text: string) => convertText(text, 'HTML', 'a caller');
const plain = async (text: string) => convertText(text, 'TEXT', 'a caller');

/** Everything that sanitized HTML may consist of. A browser reads no other elements or attributes in it. */
const sanitized = new RegExp(
  [
    String.raw`^(?:[^<>&"'\p{Cc}]|[\t\n\r]|&(?:amp|lt|gt|quot|#39);`,
    '|</?(?:a|b|blockquote|caption|code|dd|del|div|dl|dt|em|h[1-6]|i|ins|kbd|li|mark|ol|p|pre|q|s|samp|small|span|strong|sub|sup|table|tbody|td|tfoot|th|thead|tr|u|ul|var)>|<[bh]r>',
    String.raw`|<a href="(?:https?://|mailto:)[^<>"'\s]*" rel="noopener noreferrer">`,
    String.raw`|<t[dh](?: (?:col|row)span="[1-9]\d{0,2}"){1,2}>)*$`,
  ].join(''),
  'u',
);

describe('HTML', () => {
  test.for([
    ['<p>One <b>two</b></p>', '<p>One <b>two</b></p>'],
    ['<P CLASS="x" style="color:red" onclick="f()">One</P>', '<p>One</p>'],
    ['<p>One<p>Two', '<p>One</p><p>Two</p>'],
    ['<ul><li>One<li>Two</ul>', '<ul><li>One</li><li>Two</li></ul>'],
    ['<b><i>One</b>Two</i>', '<b><i>One</i></b>Two'],
    ['One</p></div><br/>Two<hr>', 'One<br>Two<hr>'],
    [
      '<table><tr><td colspan="2" rowspan="x">1<td>2</table>',
      '<table><tr><td colspan="2">1</td><td>2</td></tr></table>',
    ],
    ['<section>One <font color=red>two</font></section>', 'One two'],
    [
      '<a href="https://status.example/a?b=1&amp;c=2" target="_blank">See</a>',
      '<a href="https://status.example/a?b=1&amp;c=2" rel="noopener noreferrer">See</a>',
    ],
    [
      '<a href="MAILTO:help@example.org">Help</a>',
      '<a href="mailto:help@example.org" rel="noopener noreferrer">Help</a>',
    ],
    ['<!-- no --><p>One<!-- <script>f()</script> --></p><![CDATA[x]]>', '<p>One</p>'],
    ['<html><head><title>No</title><style>p {}</style></head><body>One</body></html>', 'One'],
    ['<p>&copy; 2026 &mdash; &#x41;&#66; &lt;b&gt; &amp;amp;</p>', '<p>© 2026 — AB &lt;b&gt; &amp;amp;</p>'],
    ['<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
    ['<p>&amp;lt;script&amp;gt;</p>', '<p>&amp;lt;script&amp;gt;</p>'],
    // Text without markup.
    ['a < b & c > d', 'a &lt; b &amp; c &gt; d'],
    ['List<String> of <unknown>', 'List&lt;String&gt; of &lt;unknown&gt;'],
    ['Disk &amp; network\r\nSecond "line"', 'Disk &amp; network<br>Second &quot;line&quot;'],
    ['&lt;img src=x onerror=alert(1)&gt;', '&lt;img src=x onerror=alert(1)&gt;'],
    ['\u001b[31mred\u0000', '[31mred'],
    ['', ''],
  ] as const)('of %j is %j', async ([text, expected]) => {
    expect(await html(text)).toBe(expected);
  });

  const links = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' \u0001javascript:alert(1)',
    'java\nscript:alert(1)',
    'java&#x0A;script:alert(1)',
    'java&Tab;script&colon;alert(1)',
    '&#106&#97&#118&#97&#115&#99&#114&#105&#112&#116&#58alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'data&colon;text/html;base64,PHNjcmlwdD4=',
    'vbscript:msgbox(1)',
    'blob:https://example.org/1',
    'file:///etc/passwd',
    '//evil.example/',
    '/relative',
    'https:',
    `https://long.example/${'a'.repeat(3_000)}`,
  ];
  test.for(links)('links to %j have no address', async (link) => {
    const result = await html(`<a href="${link.replaceAll('"', '&quot;')}">See</a>`);

    expect(result).toBe('<a>See</a>');
  });

  test.for(hostileMarkup)('of %j contains nothing but allowed elements', async (text) => {
    const result = await html(text);

    expect(result).toMatch(sanitized);
    expect(await html(result)).toBe(result);
  });

  test('of any markup contains nothing but allowed elements', async () => {
    const piece = fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...hostileMarkup) },
      fc.constantFrom(...'<>&"\'/=!-;# \n'),
      fc.constantFrom(
        '<a href="',
        '<b>',
        '</b>',
        '<svg',
        '<style>',
        '</style>',
        '<!--',
        '-->',
        '&#60;',
        '&lt',
        'javascript:',
        ']]>',
        '<math><mi>',
        "<p title='",
        '\u0000',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        expect(await html(pieces.join(''))).toMatch(sanitized);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('TEXT', () => {
  test.for([
    ['<p>One</p><p>Two <b>three</b>.</p>', 'One\n\nTwo three.'],
    ['<ul><li>One</li>\n <li>Two</li></ul>After', 'One\nTwo\nAfter'],
    ['One<br>Two<br/><br>Three', 'One\nTwo\n\nThree'],
    [
      '<h1>Mail\n is   late</h1><p>Queues are <b>longer</b> than usual.</p>',
      'Mail is late\n\nQueues are longer than usual.',
    ],
    ['<div>One</div><div>Two</div>', 'One\nTwo'],
    ['<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>', 'A\tB\n1\t2'],
    ['<pre>One\n  two</pre>three', 'One\n  two\n\nthree'],
    ['a<script>alert("<b>")</script><style>p {}</style><!-- c --><b>b</b>', 'ab'],
    ['<p>Fish &amp; chips &lt;b&gt; &amp;lt; &nbsp;&#8364;</p>', 'Fish & chips <b> &lt;  €'],
    ['<p>One <b> two</b> </p>', 'One two'],
    ['<p>a < b and b <c', 'a < b and b'],
    ['<p>One', 'One'],
    // Text without markup.
    ['a < b & c', 'a < b & c'],
    ['if x<y and y>z', 'if x<y and y>z'],
    ['One\r\n\r\n  Two &amp; three', 'One\n\n  Two & three'],
    ['AT&T &copy; &amp;amp;', 'AT&T © &amp;'],
    ['\u001b[31mred', '[31mred'],
    ['', ''],
  ] as const)('of %j is %j', async ([text, expected]) => {
    expect(await plain(text)).toBe(expected);
  });

  test('is the same whatever the length of the text before it', async () => {
    const sample = 'One &amp; two &copy;&#x41; three\n';
    const markup = '<p>One &amp; <b>two</b><br>three <a href="https://x.example/">four</a></p>';

    expect(await plain(sample.repeat(2_000))).toBe('One & two ©A three\n'.repeat(2_000));
    expect(await plain(markup.repeat(500))).toBe(Array(500).fill('One & two\nthree four').join('\n\n'));
    expect(await html(markup.repeat(500))).toBe(
      markup.replace('/">', '/" rel="noopener noreferrer">').repeat(500),
    );
  });
});

test('elements are nested 64 deep at most, and deeper ones leave their text', async () => {
  const text = `${'<div>'.repeat(9_000)}One${'</div>'.repeat(9_000)}`;

  expect(await html(text)).toBe(`${'<div>'.repeat(64)}One${'</div>'.repeat(64)}`);
});
