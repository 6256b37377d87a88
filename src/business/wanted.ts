import { type Kind, type Shape, standIns } from './records.ts';
import { type Input, linesOf } from './write-fields.ts';

/**
 * Whether a record holds everything an input gives values to: what is left of a write when its answer is lost.
 *
 * Compared is what upstreams leave of a value: codes in upper case, texts without blanks around them, numbers by
 * their value. Fields the input leaves out may hold anything; lines are compared in their order.
 */
export function holds(shape: Shape, record: Readonly<Record<string, unknown>>, input: Input): boolean {
  return Object.entries(input).every(([name, value]) => {
    if (value === undefined) return true;
    const inner = linesOf(shape, name);
    if (!inner) return isSame(shape.fields[name] as Kind, record[name], value);
    const wanted = (value ?? []) as readonly Input[];
    const lines = record[name];
    return (
      Array.isArray(lines) &&
      lines.length === wanted.length &&
      wanted.every((line, index) => holds(inner, lines[index], line))
    );
  });
}

function isSame(kind: Kind, present: unknown, wanted: unknown): boolean {
  if (typeof kind === 'object') {
    const name = wanted === null && kind.unset !== undefined ? kind.names[kind.unset] : wanted;
    return present === name;
  }
  return normal(kind, present) === normal(kind, wanted);
}

function normal(kind: Kind, value: unknown): unknown {
  if (value === null || value === undefined || value === standIns[kind as keyof typeof standIns]) return null;
  switch (kind) {
    case 'text':
      return String(value).trim() || null;
    case 'code':
      return String(value).trim().toUpperCase() || null;
    case 'uuid':
      return String(value).toLowerCase();
    case 'dateTime':
      return plain(String(value).replace(/Z$/, ''));
    case 'decimal':
      return plain(String(value));
    default:
      return value;
  }
}

// Decimals are texts without exponent or leading zeros by now; of a time it is the fraction that ends in zeros.
function plain(decimal: string): string {
  const short = decimal.includes('.') ? decimal.replace(/(\.|(?<![.0]))0+$/, '') : decimal;
  return short === '-0' ? '0' : short;
}
