import type { ExactNumber } from '../json.ts';

/** A value of a stored record. Amounts the sandbox reckons are plain numbers with at most two decimals. */
export type Value = string | number | boolean | ExactNumber;

/** The fields of one record, by name. Never changed in place: a write stores new values. */
export type Values = Readonly<Record<string, Value>>;

/** What a field holds. `lines` and `object` are shown, but cannot be filtered, sorted or written. */
export type FieldKind =
  | 'guid'
  | 'text'
  | 'code'
  | 'choice'
  | 'boolean'
  | 'integer'
  | 'decimal'
  | 'date'
  | 'dateTime'
  | 'lines'
  | 'object';

/** A field of a record set and the rules of writing it. */
export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly maxLength?: number;
  readonly choices?: readonly string[];
  readonly isReadOnly?: boolean;
  /** Made for each answer and not kept, so that some services can neither filter nor sort by it. */
  readonly isComputed?: boolean;
  /** How a stored value is written on the wire, where a dialect writes it differently. */
  readonly toWire?: (value: Value) => Value;
}

/** A way from a record to others: to its lines, or to the record a GUID field names. */
export interface Navigation {
  readonly name: string;
  readonly target: string;
  /** The GUID field that names the target; without it the navigation leads to the lines. */
  readonly from?: string;
}

/**
 * A pair of fields that name one record of another set, by id and by code. Writing one fills the
 * other (A, update rule 1); `copies` are further fields filled from it.
 */
export interface Reference {
  readonly idField: string;
  readonly target: string;
  readonly codeField?: string;
  /** The field of the target that `codeField` holds. */
  readonly key?: string;
  readonly copies?: Readonly<Record<string, string>>;
  /** The target's name in messages. */
  readonly caption: string;
  readonly isRequired?: boolean;
}

/** A kind of record: what it is called, what it holds, where it leads. */
export interface RecordSet {
  readonly name: string;
  readonly typeName: string;
  readonly fields: readonly Field[];
  readonly navigations: readonly Navigation[];
  readonly references: readonly Reference[];
  /** Companies alone have no entity tag (gap: see docs/upstream.md). */
  readonly hasEtag: boolean;
  /** The writes it takes; none where it can be read only. */
  readonly writes: readonly ('POST' | 'PATCH' | 'DELETE')[];
  /** The set whose records hold the lines that make up this one. */
  readonly linesOf?: string;
}

/** How the document writes "unset" (Conventions for A). */
export const unsetGuid = '00000000-0000-0000-0000-000000000000';
export const unsetDate = '0001-01-01';
/** `blocked` is a single space while the customer is not blocked (States, customer). */
export const notBlocked = ' ';

export const readOnly = { isReadOnly: true } as const;
export const computed = { isComputed: true } as const;

type Rules = { readonly isReadOnly?: true; readonly isComputed?: true };

export const guid = (name: string, rules: Rules = {}): Field => ({ name, kind: 'guid', ...rules });
export const text = (name: string, maxLength: number, rules: Rules = {}): Field => ({
  name,
  kind: 'text',
  maxLength,
  ...rules,
});
export const code = (name: string, maxLength: number, rules: Rules = {}): Field => ({
  name,
  kind: 'code',
  maxLength,
  ...rules,
});
export const choice = (name: string, choices: readonly string[], rules: Rules = {}): Field => ({
  name,
  kind: 'choice',
  choices,
  ...rules,
});
export const boolean = (name: string, rules: Rules = {}): Field => ({ name, kind: 'boolean', ...rules });
export const integer = (name: string, rules: Rules = {}): Field => ({ name, kind: 'integer', ...rules });
export const decimal = (name: string, rules: Rules = {}): Field => ({ name, kind: 'decimal', ...rules });
export const date = (name: string, rules: Rules = {}): Field => ({ name, kind: 'date', ...rules });
export const dateTime = (name: string): Field => ({ name, kind: 'dateTime', ...readOnly });

/** A record set with what most sets have: an entity tag and no way elsewhere. */
export function recordSet(
  name: string,
  typeName: string,
  fields: readonly Field[],
  rest: Partial<Omit<RecordSet, 'name' | 'typeName' | 'fields'>> = {},
): RecordSet {
  return { name, typeName, fields, navigations: [], references: [], hasEtag: true, writes: [], ...rest };
}

const blanks = new WeakMap<RecordSet, Values>();

/** The values of a record of which nothing is known yet. */
export function blankValues(set: RecordSet): Values {
  const known = blanks.get(set);
  if (known) return known;
  const stored = set.fields.filter(({ kind }) => kind !== 'lines' && kind !== 'object');
  // Built in one go: an object filled key by key becomes a hash table, ten times slower to copy.
  const values = Object.fromEntries(stored.map((field) => [field.name, blankOf(field)]));
  blanks.set(set, values);
  return values;
}

/** True for the stand-in the document writes where nothing is set; numbers and booleans are never blank. */
export function isBlank(value: unknown): boolean {
  return (
    value === '' ||
    value === notBlocked ||
    value === unsetGuid ||
    (typeof value === 'string' && value.startsWith(unsetDate))
  );
}

function blankOf(field: Field): Value {
  switch (field.kind) {
    case 'guid':
      return unsetGuid;
    case 'date':
      return unsetDate;
    case 'dateTime':
      return `${unsetDate}T00:00:00.000Z`;
    case 'boolean':
      return false;
    case 'integer':
    case 'decimal':
      return 0;
    case 'choice':
      return field.choices?.[0] ?? '';
    default:
      return '';
  }
}
