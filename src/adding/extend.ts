import type { ExtensionFile, RecordTypeFile } from '../business/record-files/record-file.ts';
import { AddingError, usageError } from './adding-error.ts';
import type { KnownType } from './draft.ts';

/**
 * A draft of an entity set as further fields of a type that exists: without the key, which has the same value in both, and
 * without the fields that the type has. Relations and rows are of the draft alone, and left out.
 */
export function toExtension(draft: RecordTypeFile, type: string, known: readonly KnownType[]): ExtensionFile {
  const extended = known.find((each) => each.type === type);
  if (!extended) {
    const types = known.map((each) => each.type).join(', ');
    throw usageError(`--extends is ${JSON.stringify(type)}: expected a type of the graph: ${types}.`);
  }
  const [key, ...others] = draft.key ?? [{ column: 'id', kind: 'uuid' as const }];
  if (others.length > 0)
    throw new AddingError(
      `${draft.entitySet} has a key of several columns, so its records cannot be those of ${type}, which have one id.`,
    );
  const source = /^[a-z]/.test(draft.entitySet) ? draft.entitySet : `source${draft.entitySet}`;
  const taken = new Set(extended.fields);
  const fields = Object.entries(draft.fields).filter(
    ([name, { column }]) => !taken.has(name) && (column ?? name) !== key?.column,
  );
  if (fields.length === 0)
    throw new AddingError(`${draft.entitySet} has no column that ${type} does not have.`);
  const used = new Set(fields.flatMap(([, field]) => field.enum ?? []));
  const enums = Object.entries(draft.enums ?? {}).filter(([name]) => used.has(name));
  return {
    version: 1,
    extends: type,
    fields: Object.fromEntries(fields.map(([name, field]) => [name, { ...field, source }])),
    ...(enums.length > 0 && { enums: Object.fromEntries(enums) }),
    sources: {
      [source]: {
        route: draft.route,
        entitySet: draft.entitySet,
        ...(key && key.column !== 'id' && { key: key.column }),
      },
    },
    ...(draft.origin && { origin: draft.origin }),
  };
}
