import { allowedElements, endedBy, voidElements } from './markup-elements.ts';
import type { MarkupWriter } from './markup-reader.ts';
import { escapeHtml, withoutControls } from './plain-text.ts';
import { createTextBuilder } from './text-builder.ts';

// Deeper elements are left out, and their content is kept.
const maxDepth = 64;

const linkProtocols: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/**
 * Writes sanitized HTML. Each `<` of the result begins a tag of an allowed element, and text and values are
 * escaped. No allowed element changes how a browser reads what follows (as `svg`, `style` or `textarea` would), and each is
 * ended where it began, so that a browser finds no other elements in the result, however it differs from the reader.
 */
export function createHtmlWriter(): MarkupWriter {
  const written = createTextBuilder();
  const open: string[] = [];
  // Start tags that were left out, by name: their end tags end no other element.
  const leftOut = new Map<string, number>();

  const endInnermost = () => written.add(`</${open.pop()}>`);

  return {
    text: (text) => written.add(escapeHtml(withoutControls(text))),

    start(name, attributes) {
      if (!allowedElements.has(name)) return;
      const ended = endedBy.get(name) ?? [];
      while (ended.includes(open.at(-1) ?? '')) endInnermost();
      const isVoid = voidElements.has(name);
      if (open.length === maxDepth && !isVoid) {
        leftOut.set(name, (leftOut.get(name) ?? 0) + 1);
        return;
      }
      const values = [...attributes].map(([attribute, value]) => writeAttribute(attribute, value));
      written.add(`<${name}${values.join('')}>`);
      if (!isVoid) open.push(name);
    },

    end(name) {
      const leftOutCount = leftOut.get(name) ?? 0;
      if (leftOutCount > 0) leftOut.set(name, leftOutCount - 1);
      else if (open.includes(name)) {
        while (open.at(-1) !== name) endInnermost();
        endInnermost();
      }
    },

    finish() {
      while (open.length > 0) endInnermost();
      return written.toString();
    },
  };
}

/** An attribute of an allowed element, with a blank before it; empty where its value is not allowed. */
function writeAttribute(name: string, value: string): string {
  if (name !== 'href') return /^[1-9]\d{0,2}$/.test(value) ? ` ${name}="${value}"` : '';
  // Parsed as browsers do, who ignore blanks, line breaks and the case of the protocol. Written as it was understood.
  const url = URL.canParse(value) ? new URL(value) : null;
  return url && linkProtocols.has(url.protocol)
    ? ` href="${escapeHtml(url.href)}" rel="noopener noreferrer"`
    : '';
}
