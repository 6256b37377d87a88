import { unsetValues } from '../columns.ts';
import { type FieldKind, type RowShape, toUpstreamCode } from '../record-set.ts';
import { choiceOfRaw, lineShapeOf, type WriteInput } from './write-fields.ts';

/**
 * Whether a record has all values of an input. Used to settle a write whose response was lost.
 *
 * Values are compared as upstreams normalize them: codes in upper case, texts without blanks around them, numbers by their
 * value. Fields that the input omits may have any value; lines are compared in order.
 */
export function matchesInput(
  shape: RowShape,
  record: Readonly<Record<string, unknown>>,
  input: WriteInput,
): boolean {
  return Object.entries(input).every(([name, value]) => {
    if (value === undefined) return true;
    const inner = lineShapeOf(shape, name);
    const choice = choiceOfRaw(shape, name);
    if (choice !== null && value !== null) return record[name] === value;
    if (!inner) return isSameValue(shape.fields[choice ?? name] as FieldKind, record[choice ?? name], value);
    const wanted = (value ?? []) as readonly WriteInput[];
    const lines = record[name];
    return (
      Array.isArray(lines) &&
      lines.length === wanted.length &&
      wanted.every((line, index) => matchesInput(inner, lines[index], line))
    );
  });
}

function isSameValue(kind: FieldKind, present: unknown, wanted: unknown): boolean {
  if (typeof kind === 'object') {
    const name = wanted === null && kind.unset !== undefined ? kind.names[kind.unset] : wanted;
    return present === name;
  }
  return normalizeValue(kind, present) === normalizeValue(kind, wanted);
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

// Decimals have no exponent or leading zeros here; of a timestamp, the fraction may end in zeros.
function trimTrailingZeros(decimal: string): string {
  const short = decimal.includes('.') ? decimal.replace(/(\.|(?<![.0]))0+$/, '') : decimal;
  return short === '-0' ? '0' : short;
}
