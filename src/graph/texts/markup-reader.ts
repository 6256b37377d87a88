import { Tokenizer } from 'htmlparser2';
import { allowedElements, droppedElements } from './markup-elements.ts';

/** What becomes of markup. */
export interface MarkupWriter {
  /** Text, with its entities decoded. */
  text(text: string): void;
  /** A start tag, with the attributes that its element may have. Names are in lower case. */
  start(name: string, attributes: ReadonlyMap<string, string>): void;
  end(name: string): void;
  /** The result, once all is written. */
  finish(): string;
}

/** Converts a text, piece by piece. */
export interface TextReader {
  /** Reads on to this index of the text. */
  readTo(index: number): void;
  /** The result, once all is read. */
  finish(): string;
}

// Longer values are dropped with their attribute.
const maxValueLength = 2_048;
const noAttributes: ReadonlyMap<string, string> = new Map();

/**
 * Reads markup piece by piece. The tokenizer knows text that contains no markup, such as that of `script`; it builds no
 * tree, so its work grows with the length of the text alone, however deep elements are nested.
 */
export function createMarkupReader(text: string, writer: MarkupWriter): TextReader {
  let index = 0;
  // Text that was read and not written yet.
  let textStart = 0;
  let textEnd = 0;
  let tag = '';
  let attributes = new Map<string, string>();
  let allowed: readonly string[] = [];
  let attribute: string | null = null;
  let value = '';
  // The element whose content is being dropped, and how many of its name are open in it.
  let dropped: string | null = null;
  let droppedDepth = 0;

  const writeText = () => {
    if (textEnd > textStart && dropped === null) writer.text(text.slice(textStart, textEnd));
    textStart = textEnd;
  };
  const addText = (start: number, end: number) => {
    if (start !== textEnd) {
      writeText();
      textStart = start;
    }
    textEnd = end;
  };
  const addToValue = (part: string) => {
    if (attribute !== null && value.length <= maxValueLength) value += part;
  };
  const start = (isSelfClosing: boolean) => {
    writeText();
    if (dropped === tag) droppedDepth += isSelfClosing ? 0 : 1;
    if (dropped !== null) return;
    if (!droppedElements.has(tag)) writer.start(tag, attributes.size > 0 ? attributes : noAttributes);
    // `/>` ends an element of SVG or MathML, and no other.
    else if (!(isSelfClosing && (tag === 'svg' || tag === 'math'))) {
      dropped = tag;
      droppedDepth = 1;
    }
  };
  const end = (name: string) => {
    writeText();
    if (dropped === null) writer.end(name);
    else if (dropped === name) {
      droppedDepth -= 1;
      if (droppedDepth === 0) dropped = null;
    }
  };

  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext: addText,
      ontextentity(codePoint) {
        writeText();
        if (dropped === null) writer.text(String.fromCodePoint(codePoint));
      },
      onopentagname(from, to) {
        tag = text.slice(from, to).toLowerCase();
        attributes = new Map();
        allowed = allowedElements.get(tag) ?? [];
      },
      onattribname(from, to) {
        const name = allowed.length === 0 ? '' : text.slice(from, to).toLowerCase();
        // The first of several with one name counts.
        attribute = allowed.includes(name) && !attributes.has(name) ? name : null;
        value = '';
      },
      onattribdata: (from, to) => addToValue(text.slice(from, Math.min(to, from + maxValueLength + 1))),
      onattribentity: (codePoint) => addToValue(String.fromCodePoint(codePoint)),
      onattribend() {
        if (attribute !== null && value.length <= maxValueLength) attributes.set(attribute, value);
        attribute = null;
      },
      onopentagend: () => start(false),
      onselfclosingtag: () => start(true),
      onclosetag: (from, to) => end(text.slice(from, to).toLowerCase()),
      oncomment: writeText,
      oncdata: writeText,
      ondeclaration: writeText,
      onprocessinginstruction: writeText,
      onend: writeText,
    },
  );

  return {
    readTo(to) {
      tokenizer.write(text.slice(index, to));
      writeText();
      index = to;
    },
    finish() {
      tokenizer.end();
      return writer.finish();
    },
  };
}
