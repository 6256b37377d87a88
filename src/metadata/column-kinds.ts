import { type fieldKinds, recordFileLimits } from '../business/record-files/record-file.ts';
import { terms } from './csdl/annotations.ts';
import { type EnumType, type Model, type Property, underlying } from './csdl/model.ts';

/** How the graph has a column; `choice` comes with its enum. */
export interface ColumnKind {
  readonly kind: (typeof fieldKinds)[number];
  readonly choice?: EnumType;
  /** Why lists can neither be filtered nor sorted by it. */
  readonly unfilterable?: string;
  /** What is worth knowing of the kind. */
  readonly note?: string;
}

const primitives: Readonly<Record<string, ColumnKind>> = {
  String: { kind: 'text' },
  Guid: { kind: 'uuid' },
  Boolean: { kind: 'boolean' },
  Date: { kind: 'date' },
  DateTimeOffset: { kind: 'dateTime' },
  Byte: { kind: 'int' },
  SByte: { kind: 'int' },
  Int16: { kind: 'int' },
  Int32: { kind: 'int' },
  Int64: {
    kind: 'safeInt',
    note: 'has 64 bits: a value beyond 2^53 fails, because JSON readers would round it',
  },
  Decimal: { kind: 'decimal' },
  Double: { kind: 'decimal', note: 'is a binary number, shown with the digits that the upstream writes' },
  Single: { kind: 'decimal', note: 'is a binary number, shown with the digits that the upstream writes' },
  TimeOfDay: { kind: 'text', unfilterable: 'is a time of day, whose literals are no texts' },
  Duration: { kind: 'text', unfilterable: 'is a duration, whose literals are no texts' },
  Binary: { kind: 'text', unfilterable: 'is binary, shown in Base64' },
};

const object = (what: string): ColumnKind => ({ kind: 'object', unfilterable: `is ${what}, shown as JSON` });

/** How a column is shown; a file has none: it is read at its own address. */
export function kindOf(model: Model, property: Property): ColumnKind | 'stream' {
  if (property.type === 'Edm.Stream' && !property.isCollection) return 'stream';
  if (property.isCollection) return object('a list of values');
  const type = underlying(model, property.type);
  if (type === undefined) return object('of a type of another document');
  if (typeof type !== 'string') {
    if (type.kind !== 'enum') return object('an object');
    if (type.isFlags) return { kind: 'word', unfilterable: 'is several words at once, separated by commas' };
    if (type.members.length > recordFileLimits.members)
      return { kind: 'word', note: `has more than ${recordFileLimits.members} words, too many for an enum` };
    return type.members.length === 0 ? { kind: 'word' } : { kind: 'choice', choice: type };
  }
  const kind = primitives[type.replace(/^Edm\./, '')] ?? object('of a type without a counterpart');
  return kind.kind === 'text' && type === 'Edm.String' ? textKind(model, property) : kind;
}

/** A text, or a code, or a word that changes with the caller's language. */
function textKind(model: Model, { name, maxLength, annotations }: Property): ColumnKind {
  if (annotations.get(terms.languageDependent) === true)
    return { kind: 'word', unfilterable: "is written in the language of the caller's session" };
  if (!model.isBusinessCentral) return { kind: 'text' };
  // A column of a table has a length there; what a page computes has none, and is not filtered.
  if (maxLength === null) return { kind: 'text', unfilterable: 'has no length, and so is computed' };
  return { kind: isCode(name, maxLength) ? 'code' : 'text' };
}

// What the tables behind the standard API have as `Code`, which Business Central converts to upper case. Its lengths are
// 10 and 20, and for the numbers of other companies 35.
const codeNames = /(?:^|[a-z0-9])(?:number|code|no)$|country$|postCode$|^salesperson$|^purchaser$|^gtin$/i;
const plainNames = /phone|fax|bank|registration|serial|tracking|version|route/i;

function isCode(name: string, maxLength: number): boolean {
  if (name === 'accountNumber' || name === 'balancingAccountNumber') return maxLength === 20;
  if (/^(?:external|vendor|customer)\w*Number$/.test(name) && maxLength === 35) return true;
  if (name === 'taxCode') return true;
  const isLength = maxLength === 10 || maxLength === 20 || (name === 'gtin' && maxLength === 14);
  return isLength && codeNames.test(name) && !plainNames.test(name);
}
