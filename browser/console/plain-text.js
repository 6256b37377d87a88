// A parsed document runs no script and loads nothing, and only its text is shown: any markup may be parsed.
const { trustedTypes } =
  /** @type {{ trustedTypes?: { createPolicy(name: string, rules: object): { createHTML(text: string): unknown } } }} */ (
    globalThis
  );
const policy = trustedTypes?.createPolicy('plain-text', { createHTML: (/** @type {string} */ text) => text });

const blocks =
  'address, article, blockquote, br, dd, div, dl, dt, h1, h2, h3, h4, h5, h6, hr, li, ol, p, pre, section, table, tr, ul';
const withoutText = 'canvas, math, noscript, object, script, select, style, svg, template, textarea, video';

/**
 * Reads a text that an upstream may have written as HTML, with entities, or plainly. Blocks become lines. A text whose
 * tags are all unknown to HTML, as in `List<String>`, is returned as it is.
 *
 * @param {string} text
 */
export function toPlainText(text) {
  if (!/[<&]/.test(text)) return text;
  const markup = /** @type {string} */ (policy?.createHTML(text) ?? text);
  const { body } = new DOMParser().parseFromString(markup, 'text/html');
  const elements = [...body.querySelectorAll('*')];
  if (elements.length === 0) return body.textContent;
  if (elements.every((found) => found instanceof HTMLUnknownElement)) return text;
  for (const found of elements)
    if (found.matches(withoutText)) found.remove();
    else if (found.matches(blocks)) {
      found.before('\u2028');
      found.after('\u2028');
    } else if (found.matches('td, th')) found.before(' ');
  return body.textContent
    .replace(/[^\S\u2028]+/g, ' ')
    .replace(/ ?(?:\u2028 ?)+/g, '\n')
    .trim();
}
