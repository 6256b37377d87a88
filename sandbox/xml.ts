/** An element of an XML document. Text is in attributes alone, as in CSDL. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly children: readonly XmlElement[];
}

export function element(
  name: string,
  attributes: XmlElement['attributes'] = {},
  children: readonly XmlElement[] = [],
): XmlElement {
  return { name, attributes, children };
}

/** Prints a document, one element on a line. */
export function printXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${print(root, '')}`;
}

function print({ name, attributes, children }: XmlElement, indent: string): string {
  const given = Object.entries(attributes)
    .flatMap(([attribute, value]) => (value === undefined ? [] : [` ${attribute}="${escapeXml(value)}"`]))
    .join('');
  if (children.length === 0) return `${indent}<${name}${given} />\n`;
  const inner = children.map((child) => print(child, `${indent}  `)).join('');
  return `${indent}<${name}${given}>\n${inner}${indent}</${name}>\n`;
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#xA;');
}
