import { LosslessNumber } from 'lossless-json';
import { mergeObjects, type SelectedObject, selectNothing } from '../../graph/selected-object.ts';
import { invalidInput, type UserError } from '../../graph/user-errors.ts';
import { columnName, unsetValues } from '../record-sets/columns.ts';
import { type Dialect, maxWordLength } from '../record-sets/dialect.ts';
import {
  type FieldKind,
  type FieldKinds,
  isWord,
  type RowShape,
  toUpstreamCode,
} from '../record-sets/record-set.ts';

/** The input of a write: values by field name. The lines of a document are lists of such inputs. */
export type WriteInput = Readonly<Record<string, unknown>>;

/** The body of a write, by the upstream's names. Decimals are `LosslessNumber`. */
export type WriteBody = Readonly<Record<string, unknown>>;

/**
 * Encodes an input as the body of a write. Undefined fields are not sent, a cleared field becomes its unset value, and
 * decimals keep every digit. `path` is the path of the input.
 */
export function encodeInput(
  shape: RowShape,
  dialect: Dialect,
  input: WriteInput,
  path: readonly string[],
): { body: WriteBody; faults: UserError[] } {
  const { fields } = shape;
  const body: Record<string, unknown> = {};
  const faults: UserError[] = [];
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const column = columnName(shape, dialect, name);
    const inner = lineShapeOf(shape, name);
    if (inner) {
      if (value === null) continue;
      const lines = (value as readonly WriteInput[]).map((line, index) =>
        encodeInput(inner, dialect, line, [...path, name, String(index)]),
      );
      body[column] = lines.map((line) => line.body);
      faults.push(...lines.flatMap((line) => line.faults));
      continue;
    }
    const id = findIdColumn(fields, name);
    if (id !== null && input[id] !== undefined) {
      faults.push(invalidInput(`Give \`${id}\` or \`${name}\`, not both.`, ...path, name));
      continue;
    }
    const isNullable = shape.nullable?.has(name) === true;
    const encoded = encodeValue(fields[name] as FieldKind, isNullable, dialect, value);
    if (typeof encoded === 'object' && encoded !== null && 'fault' in encoded) {
      faults.push(invalidInput(`\`${name}\` ${encoded.fault}`, ...path, name));
    } else {
      body[column] = encoded;
    }
  }
  return { body, faults };
}

/** The id column that belongs to a column with a number or code, such as `customerId` to `customerNumber`; null if none does. */
function findIdColumn(fields: FieldKinds, name: string): string | null {
  const id = name.replace(/(?:Number|Code|No)$/, 'Id');
  return id !== name && fields[name] === 'code' && fields[id] === 'uuid' ? id : null;
}

/** Selects the fields of an input, and those of its lines. */
export function selectInput(shape: RowShape, input: WriteInput): SelectedObject {
  return {
    fields: new Set(Object.keys(input).filter((name) => input[name] !== undefined)),
    below: (name) => {
      const inner = lineShapeOf(shape, name);
      const lines = inner ? ((input[name] ?? []) as readonly WriteInput[]) : [];
      return lines
        .map((line) => selectInput(inner as RowShape, line))
        .reduce(mergeObjects, selectNothing as SelectedObject);
    },
  };
}

/** The shape of the lines in a field of an input; undefined if the field has no lines. */
export function lineShapeOf({ relations }: RowShape, name: string): RowShape | undefined {
  const relation = relations?.[name];
  return relation?.isMany ? relation.target : undefined;
}

// RFC 9110, 8.8.3 (entity-tag), with a maximum length. No character can end a header line.
const entityTagPattern = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]{0,1000}"$/;

/** Returns the error of an invalid `ifMatch`; none if it is valid. `path` is the path of its input. */
export function validateIfMatch(ifMatch: string, path: readonly string[]): readonly UserError[] {
  if (ifMatch === '*' || entityTagPattern.test(ifMatch)) return [];
  const message = '`ifMatch` takes the `etag` of the record as it was read, or `*`.';
  return [invalidInput(message, ...path, 'ifMatch')];
}

function encodeValue(
  kind: FieldKind,
  isNullable: boolean,
  dialect: Dialect,
  value: unknown,
): string | number | boolean | LosslessNumber | null | { fault: string } {
  if (value === null && isNullable) return null;
  const given = value ?? unsetValues[kind as keyof typeof unsetValues];
  if (given === undefined) return { fault: 'cannot be cleared: give the value it is to have.' };
  if (isWord(kind)) {
    const word = given as string;
    return word.length <= maxWordLength
      ? dialect.encodeWord(word)
      : { fault: `has more than ${maxWordLength} characters.` };
  }
  return kind === 'decimal' ? new LosslessNumber(given as string) : (given as string | number | boolean);
}

/**
 * Whether a record has all values of an input. Settles writes whose response was lost.
 *
 * Compares values as upstreams normalize them: codes in upper case, texts trimmed, numbers by value. Fields that the input
 * omits may have any value. Lines are compared in order.
 */
export function matchesInput(
  shape: RowShape,
  record: Readonly<Record<string, unknown>>,
  input: WriteInput,
): boolean {
  return Object.entries(input).every(([name, value]) => {
    if (value === undefined) return true;
    const inner = lineShapeOf(shape, name);
    if (!inner) {
      const kind = shape.fields[name] as FieldKind;
      return normalizeValue(kind, record[name]) === normalizeValue(kind, value);
    }
    const inputLines = (value ?? []) as readonly WriteInput[];
    const lines = record[name];
    return (
      Array.isArray(lines) &&
      lines.length === inputLines.length &&
      inputLines.every((line, index) => matchesInput(inner, lines[index], line))
    );
  });
}

function normalizeValue(kind: FieldKind, value: unknown): unknown {
  if (value === null || value === undefined || value === unsetValues[kind as keyof typeof unsetValues])
    return null;
  switch (kind) {
    case 'text':
      return String(value).trim() || null;
    case 'code':
      return toUpstreamCode(String(value)) || null;
    case 'uuid':
      return String(value).toLowerCase();
    case 'dateTime':
      return trimTrailingZeros(String(value).replace(/Z$/, ''));
    case 'decimal':
      return trimTrailingZeros(String(value));
    default:
      return value;
  }
}

// Expects a decimal without exponent and leading zeros, or a timestamp without `Z`.
function trimTrailingZeros(decimal: string): string {
  // '1.50' becomes '1.5', and '1.00' becomes '1'.
  const short = decimal.includes('.') ? decimal.replace(/(\.|(?<![.0]))0+$/, '') : decimal;
  return short === '-0' ? '0' : short;
}
