import { odataNamePattern } from '../../business/record-files/record-file.ts';
import { MetadataError, type XmlElement } from './xml.ts';

/** Reads names and the attributes of elements; aliases of namespaces are replaced by the namespaces. */
export interface NameReader {
  /** A name with its namespace: `self.Vendor` becomes `Contoso.Vendor`. */
  qualify(name: string): string;
}

// As OData writes identifiers (CSDL 4.01, 15.2); there is an upstream that begins members of enums with digits.
const memberPattern = /^[\p{L}\p{Nl}\p{Nd}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;

export function attribute(element: XmlElement, name: string): string {
  const value = element.attributes.get(name);
  if (value === undefined || value === '')
    throw new MetadataError(element.line, `<${element.name}> has no \`${name}\`.`);
  return value;
}

/** The `Name` of an element, which is an identifier. */
export const nameOf = (element: XmlElement): string => {
  const name = attribute(element, 'Name');
  // An identifier of OData, but no key of an object.
  if (name === '__proto__')
    throw new MetadataError(element.line, `${JSON.stringify(name)} is a name that Tributary cannot hold.`);
  return requireName(element, name, odataNamePattern);
};

/** The same for a member of an enum. */
export const memberNameOf = (element: XmlElement): string =>
  requireName(element, attribute(element, 'Name'), memberPattern);

function requireName(element: XmlElement, name: string, pattern: RegExp): string {
  if (pattern.test(name)) return name;
  throw new MetadataError(element.line, `${JSON.stringify(name)} is not a name that OData allows.`);
}

export function booleanOf(element: XmlElement, name: string, fallback: boolean): boolean {
  const value = element.attributes.get(name)?.trim();
  if (value === undefined) return fallback;
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  throw new MetadataError(
    element.line,
    `\`${name}\` of <${element.name}> is ${JSON.stringify(value)}, neither true nor false.`,
  );
}

export function maxLengthOf(element: XmlElement): number | null {
  const value = element.attributes.get('MaxLength');
  if (value === undefined || /^max$/i.test(value)) return null;
  if (!/^\d{1,10}$/.test(value))
    throw new MetadataError(element.line, `\`MaxLength\` is ${JSON.stringify(value)}, not a number.`);
  return Number(value);
}

/** `Collection(A.B)` and `A.B`. */
export function typeReference(
  names: NameReader,
  reference: string,
): { readonly type: string; readonly isCollection: boolean } {
  const [, inner] = /^Collection\((.*)\)$/.exec(reference.trim()) ?? [];
  return { type: names.qualify((inner ?? reference).trim()), isCollection: inner !== undefined };
}

export const childrenOf = (element: XmlElement, name: string): readonly XmlElement[] =>
  element.children.filter((child) => child.name === name);

/** Throws where two of them have one name. */
export function requireDistinct(
  elements: readonly { readonly name: string; readonly line: number }[],
  what: string,
): void {
  const lines = new Map<string, number>();
  for (const { name, line } of elements) {
    const first = lines.get(name);
    if (first !== undefined)
      throw new MetadataError(line, `${what} ${name} is defined twice; first in line ${first}.`);
    lines.set(name, line);
  }
}
