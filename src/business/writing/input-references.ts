import { selectMore, selectNothing } from '../../graph/selected-object.ts';
import { invalidInput, type UserError } from '../../graph/user-errors.ts';
import type { Business } from '../business.ts';
import { type RecordSet, type RowShape, toUpstreamCode } from '../record-set.ts';
import { lineShapeOf, type WriteInput } from './write-fields.ts';

/** A reference of an input, `@oneOf`: exactly one field. */
type Reference = Readonly<Record<string, unknown>>;

/**
 * An input with the columns that its references name in their place: `customer: { number }` becomes `customerNumber`, and
 * `null` clears `customerId`. What a line is about becomes its type and the columns for it. `path` leads to the input; a line
 * with two texts, or too long a word, is added to `faults`.
 */
export function resolveReferences(
  shape: RowShape,
  input: WriteInput,
  path: readonly string[],
  faults: UserError[],
): WriteInput {
  const entries = Object.entries(input).flatMap(([name, value]): [string, unknown][] => {
    const lines = lineShapeOf(shape, name);
    if (lines && value != null)
      return [
        [
          name,
          (value as readonly WriteInput[]).map((line, index) =>
            resolveReferences(lines, line, [...path, name, String(index)], faults),
          ),
        ],
      ];
    if (name === 'subject' && !Object.hasOwn(shape.fields, name))
      return Object.entries(columnsOfSubject(value as Reference, input, path, faults));
    if (value === null && isReference(shape, name)) return [[`${name}Id`, null]];
    return [isReference(shape, name) ? columnOf(name, value as Reference) : [name, value]];
  });
  return Object.fromEntries(entries);
}

const keyFields = selectMore(selectNothing, ['id', 'number']);

/**
 * The input of a create whose lines name records by the key that the upstream takes (`subjectKeys`). The other key is looked
 * up; one that no record has is added to `faults`. `path` leads to the input.
 */
export async function completeSubjects(
  business: Business,
  shape: RowShape,
  companyId: string,
  input: WriteInput,
  path: readonly string[],
  faults: UserError[],
): Promise<WriteInput> {
  const completed: Record<string, unknown> = { ...input };
  for (const [name, value] of Object.entries(input)) {
    const lines = lineShapeOf(shape, name);
    const keys = lines?.dialects?.[business.dialect.name]?.subjectKeys;
    if (!lines || !keys || value == null) continue;
    const complete = async (line: WriteInput, index: number): Promise<WriteInput> => {
      const [[kind, given]] = Object.entries(line.subject as Reference) as [[string, Reference]];
      const key = keys[kind];
      if (key === undefined || given[key] !== undefined) return line;
      const [[givenKey, text]] = Object.entries(given) as [[string, string]];
      const view = business.plan(lines.relations?.[kind]?.target as RecordSet, keyFields);
      const record =
        givenKey === 'id'
          ? await business.loadView(view, companyId, text)
          : await business.loadViewByNumber(view, companyId, toUpstreamCode(text));
      if (record?.[key]) return { ...line, subject: { [kind]: { [key]: record[key] } } };
      const place = [...path, name, String(index), 'subject', kind, givenKey];
      faults.push(invalidInput(`There is no ${kind} with this ${givenKey}.`, ...place));
      return line;
    };
    completed[name] = await Promise.all((value as readonly WriteInput[]).map(complete));
  }
  return completed;
}

/** A field that is a column itself is none, whatever other columns are called. */
const isReference = ({ fields }: RowShape, name: string): boolean =>
  !Object.hasOwn(fields, name) &&
  [`${name}Id`, `${name}Number`, `${name}Code`].some((column) => Object.hasOwn(fields, column));

function columnOf(name: string, reference: Reference): [string, unknown] {
  const [[key, value]] = Object.entries(reference) as [[string, unknown]];
  return [`${name}${key.charAt(0).toUpperCase()}${key.slice(1)}`, value];
}

// The upstream takes a line with an id for one of that kind.
function columnsOfSubject(
  subject: Reference,
  { description }: WriteInput,
  path: readonly string[],
  faults: UserError[],
): WriteInput {
  const [[kind, given]] = Object.entries(subject) as [[string, unknown]];
  if (kind === 'other') {
    const { lineTypeRaw, number } = given as WriteInput;
    return { lineType: lineTypeRaw, itemNo: number };
  }
  if (kind === 'comment') {
    if (description !== undefined)
      faults.push(
        invalidInput('A comment has its text in `subject`: leave `description` out.', ...path, 'description'),
      );
    return { lineType: 'Comment', description: given };
  }
  if (kind === 'item' || kind === 'account') {
    const { id, number } = given as WriteInput;
    return id !== undefined
      ? { [`${kind}Id`]: id }
      : { lineType: kind.charAt(0).toUpperCase() + kind.slice(1), itemNo: number };
  }
  return {
    lineType: (kind.charAt(0).toUpperCase() + kind.slice(1)).replace(/(?<=.)[A-Z]/g, ' $&'),
    itemNo: given,
  };
}
