import { cutText } from '../runtime/text.ts';

// The error stands in the first kilobytes.
const maxMarkupLength = 16 * 1024;

/**
 * Reads the code and message, as plain text, of an error in XML (`<error><code>…</code><message>…</message></error>`, as the
 * gateway of the real service writes it); of an HTML page, the title as message and no code. Null for anything else.
 */
export function readMarkup(text: string): { readonly code: string | null; readonly message: string } | null {
  const start = cutText(text, maxMarkupLength);
  if (!/^\s*</.test(start)) return null;
  const message = readElement(start, openingTags.message) ?? readElement(start, openingTags.title);
  if (message === null) return null;
  // In HTML, `<code>` is text in a monospaced font.
  return { code: openingTags.html.test(start) ? null : readElement(start, openingTags.code), message };
}

const openingTags = {
  html: /<html(?:\s[^<>]{0,500})?>/i,
  code: /<(?:\w{1,20}:)?code(?:\s[^<>]{0,500})?>/i,
  message: /<(?:\w{1,20}:)?message(?:\s[^<>]{0,500})?>/i,
  title: /<title(?:\s[^<>]{0,500})?>/i,
};

function readElement(text: string, opening: RegExp): string | null {
  const found = opening.exec(text);
  if (!found) return null;
  const from = found.index + found[0].length;
  const to = text.indexOf('<', from);
  const content = unescapeEntities(text.slice(from, to === -1 ? undefined : to)).trim();
  return content === '' ? null : content;
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

const unescapeEntities = (text: string) =>
  text.replace(/&(lt|gt|quot|apos|amp|#39);/g, (_all, name: string) => entities[name] ?? "'");
