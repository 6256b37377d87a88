import { decodeHTML } from 'entities';
import { lineBreaks } from './markup-elements.ts';
import type { MarkupWriter, TextReader } from './markup-reader.ts';
import { createTextBuilder } from './text-builder.ts';

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

// A run at a time: a call for each character of a megabyte of them takes a quarter of a second.
export const escapeHtml = (text: string): string =>
  text.replace(/&+|<+|>+|"+|'+/g, (run) => (escapes[run.charAt(0)] ?? '').repeat(run.length));

/** Removes control characters other than tabs and line breaks: terminals act on some of them. */
export const withoutControls = (text: string): string => text.replace(/(?![\t\n\r])\p{Control}/gu, '');

// The longest name of an entity has 32 characters.
const maxEntityLength = 40;

/** Reads a text without markup piece by piece: its entities are decoded, once, and its line breaks kept. */
export function createPlainReader(text: string, encode: (plain: string) => string): TextReader {
  const written = createTextBuilder();
  let index = 0;
  return {
    readTo(to) {
      // An entity that may not be complete waits for the next piece.
      const begun = to < text.length ? text.lastIndexOf('&', to - 1) : -1;
      const end = begun > index && begun > to - maxEntityLength ? begun : to;
      const decoded = decodeHTML(text.slice(index, end).replace(/\r\n?/g, '\n'));
      written.add(encode(withoutControls(decoded)));
      index = end;
    },
    finish: () => written.toString(),
  };
}

/** Writes plain text: blank characters count as in HTML, blocks and `br` break lines, paragraphs are an empty line apart. */
export function createTextWriter(): MarkupWriter {
  const written = createTextBuilder();
  let isEmpty = true;
  let breaks = 0;
  let separator = '';
  let preDepth = 0;

  const write = (text: string) => {
    if (!isEmpty) written.add(breaks > 0 ? '\n'.repeat(breaks) : separator);
    written.add(text);
    isEmpty = false;
    breaks = 0;
    separator = '';
  };
  const breakLines = (count: number) => {
    breaks = Math.max(breaks, count);
  };

  return {
    text(given) {
      if (preDepth > 0) {
        write(withoutControls(given).replace(/\r\n?/g, '\n'));
        return;
      }
      const text = withoutControls(given.replace(/[ \t\n\r\f]+/g, ' '));
      const words = text.replace(/^ | $/g, '');
      if (text.startsWith(' ') && separator === '') separator = ' ';
      if (words === '') return;
      write(words.replaceAll('\u00a0', ' '));
      if (text.endsWith(' ')) separator = ' ';
    },

    start(name) {
      if (name === 'br') breaks = Math.min(breaks + 1, 2);
      else if (name === 'td' || name === 'th') separator = '\t';
      else breakLines(lineBreaks.get(name) ?? 0);
      if (name === 'pre') preDepth += 1;
    },

    end(name) {
      breakLines(lineBreaks.get(name) ?? 0);
      if (name === 'pre') preDepth = Math.max(0, preDepth - 1);
    },

    finish: () => written.toString().trim(),
  };
}
