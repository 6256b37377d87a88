import { isUtf8 } from 'node:buffer';
import { SaxesParser } from 'saxes';

/** Ends the command. The message says what happened and what to do. */
export class AddingError extends Error {
  override readonly name = 'AddingError';
  /** 2 for wrong arguments, as for settings; 1 for anything else. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** An error at a line of the document, starting at 1. */
export const atLine = (line: number, reason: string) => new AddingError(`Line ${line}: ${reason}`);

/** An element of an XML document. Without its text, because metadata only uses attributes. */
export interface XmlElement {
  /** Without a prefix. */
  readonly name: string;
  /** The line at the end of its start tag, starting at 1. */
  readonly line: number;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
}

/** Parses a document. Only predefined entities are resolved: the parser ignores document types (XXE, billion laughs). */
export function parseXml(source: string | Uint8Array): XmlElement {
  if (typeof source !== 'string' && !isUtf8(source))
    throw new AddingError('The document is not text in UTF-8. Save it as UTF-8.');
  const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
  if (/^\s*[{[]/.test(text))
    throw new AddingError('The document is JSON: metadata is read as XML (`Accept: application/xml`).');
  const parser = new SaxesParser({ xmlns: true });
  const open: (XmlElement & { readonly children: XmlElement[] })[] = [];
  let root: XmlElement | undefined;
  parser.on('error', ({ message }) => {
    const reason = reasonOf(message);
    const hint = /^unclosed tag/.test(reason) ? ' The document may have been cut short.' : '';
    throw atLine(parser.line, `the XML is malformed: ${reason}.${hint}`);
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
  if (!root) throw new AddingError('The document has no element.');
  return root;
}

// saxes prefixes its messages with the position.
const reasonOf = (message: string): string =>
  message.replace(/^(?:[^:\s]*:)?\d+:\d+: /, '').replace(/\.$/, '');
