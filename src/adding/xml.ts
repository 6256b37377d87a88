import { SaxesParser } from 'saxes';
import { findInvalidUtf8Line } from '../runtime/text.ts';

/** Metadata that cannot be read, or that no record type can be made of. */
export class MetadataError extends Error {
  override readonly name = 'MetadataError';

  /** `line`: of the document, from 1, where the text of the document is at fault. */
  constructor(reason: string, line?: number) {
    super(line === undefined ? reason : `Line ${line}: ${reason}`);
  }
}

/** An element of an XML document, without its text: metadata is in attributes alone. */
export interface XmlElement {
  /** Without a prefix. */
  readonly name: string;
  /** The line of its start tag's end, from 1. */
  readonly line: number;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
}

/** What a document may have at most. The largest known of Business Central has 8 MB. */
export const xmlLimits = {
  bytes: 33_554_432,
  depth: 64,
  elements: 250_000,
};

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
}

/**
 * Reads a document without expanding entities: only those that XML predefines are known, and a document type is refused,
 * so that no entity can be defined (XXE, billion laughs).
 */
export function parseXml(source: string | Uint8Array): XmlElement {
  const text = decode(source);
  if (/^\s*[{[]/.test(text))
    throw new MetadataError('the document is JSON: metadata is read as XML (`Accept: application/xml`).', 1);
  const parser = new SaxesParser({ xmlns: true });
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  let count = 0;
  const refuse = (reason: string): never => {
    throw new MetadataError(reason, parser.line);
  };
  parser.on('error', ({ message }) => {
    const reason = reasonOf(message);
    const hint = /^unclosed tag/.test(reason) ? ' The document may have been cut short.' : '';
    refuse(`the XML is malformed: ${reason}.${hint}`);
  });
  parser.on('doctype', (type) =>
    refuse(
      /^\s*html\b/i.test(type)
        ? 'the document is an HTML page, not the response of $metadata: it may ask to sign in.'
        : 'the document has a document type (`<!DOCTYPE`). Remove it: entities are not read.',
    ),
  );
  parser.on('opentagstart', ({ name }) => {
    count += 1;
    if (open.length >= xmlLimits.depth)
      refuse(`<${name}> is deeper than ${xmlLimits.depth} elements, the maximum.`);
    if (count > xmlLimits.elements)
      refuse(`there are more than ${xmlLimits.elements} elements, the maximum.`);
  });
  parser.on('opentag', ({ local, attributes }) => {
    open.push({
      name: local,
      line: parser.line,
      attributes: new Map(Object.values(attributes).map(({ name, value }) => [name, value])),
      children: [],
    });
  });
  parser.on('closetag', () => {
    const element = open.pop();
    if (element === undefined) return;
    const parent = open.at(-1);
    if (parent) parent.children.push(element);
    else root = element;
  });
  parser.write(text).close();
  return root ?? refuse('the document has no element.');
}

/** The text of a document in UTF-8; a text is one already. */
function decode(source: string | Uint8Array): string {
  const bytes = typeof source === 'string' ? Buffer.byteLength(source) : source.byteLength;
  if (bytes > xmlLimits.bytes)
    throw new MetadataError(`The document has ${bytes} bytes; ${xmlLimits.bytes} is the maximum.`);
  // The parser takes a byte order mark as text.
  if (typeof source === 'string') return source.replace(/^\uFEFF/, '');
  const line = findInvalidUtf8Line(source);
  if (line !== null) throw new MetadataError('the document is not UTF-8 text. Convert it.', line);
  return new TextDecoder().decode(source);
}

// saxes puts the place before its messages.
const reasonOf = (message: string): string =>
  message.replace(/^(?:[^:\s]*:)?\d+:\d+: /, '').replace(/\.$/, '');
