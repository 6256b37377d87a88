import type { FileField } from '../../business/record-files/record-file.ts';
import { quoteString } from '../../odata/collection.ts';
import type { JsonObject } from '../../runtime/json.ts';

/*
 * Conditions for `$filter`, as the graph writes them, from the values of one record. Beside the key of that record they hold
 * for no record, so that a row in the response shows that the service did not apply them.
 */

const maxQuotedLength = 200;
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const date = /^\d{4}-\d{2}-\d{2}$/;
const dateTime = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/;
const number = /^-?\d+(\.\d+)?$/;

export interface KeyColumn {
  readonly column: string;
  readonly kind: FileField['kind'];
}

/** `id eq …` for the key of a record; null where a value is not of its kind. */
export function keyCondition(key: readonly KeyColumn[], row: JsonObject): string | null {
  const terms = key.map(({ column, kind }) => {
    const literal = toLiteral(kind, Object.hasOwn(row, column) ? row[column] : null);
    return literal === null ? null : `${column} eq ${literal}`;
  });
  return terms.includes(null) ? null : terms.join(' and ');
}

/** A condition that the record with this value does not meet; null where none can be made of it. */
export function falseCondition(column: string, kind: FileField['kind'], value: unknown): string | null {
  if (value === null || value === undefined) return kind === 'object' ? null : `${column} ne null`;
  const text = String(value);
  switch (kind) {
    case 'object':
      return null;
    case 'boolean':
      return typeof value === 'boolean' ? `${column} eq ${!value}` : null;
    // Numbers and times may have more digits than the response: `ne` could hold for the record itself.
    case 'int':
    case 'safeInt':
    case 'decimal':
      if (!number.test(text)) return null;
      return text.startsWith('-') ? `${column} gt 0` : `${column} lt -1`;
    case 'dateTime':
      return dateTime.test(text)
        ? `${column} lt ${text.slice(0, 4) > '1900' ? '1900' : '0001'}-01-01T00:00:00Z`
        : null;
    case 'date':
      return date.test(text) ? `${column} ne ${text}` : null;
    case 'uuid':
      return guid.test(text) ? `${column} ne ${text}` : null;
    default:
      if (typeof value !== 'string') return null;
      return value.length > maxQuotedLength ? `${column} eq ''` : `${column} ne ${quoteString(value)}`;
  }
}

function toLiteral(kind: FileField['kind'], value: unknown): string | null {
  const text = String(value);
  if (kind === 'uuid') return guid.test(text) ? text : null;
  if (kind === 'date') return date.test(text) ? text : null;
  if (kind === 'dateTime') return dateTime.test(text) ? text : null;
  if (kind === 'boolean') return typeof value === 'boolean' ? text : null;
  if (kind === 'int' || kind === 'safeInt' || kind === 'decimal') return number.test(text) ? text : null;
  return typeof value === 'string' ? quoteString(value) : null;
}
