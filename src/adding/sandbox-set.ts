import type { FileField, RecordTypeFile } from '../business/record-files/record-file.ts';
import { fieldText, isCodeName, literal, nameSet, objectOf } from './sandbox-code.ts';
import { navigationsOf, referencesOf, rowSetsOf, rowSetText, type SandboxTargets } from './sandbox-rows.ts';
import { seededRecords } from './seed-values.ts';

/** A set of the sandbox, as code. */
export interface SandboxSet {
  readonly entitySet: string;
  /** The text of `sandbox/business/sets/….ts`. */
  readonly text: string;
}

/** The comment on a set that the command has written. */
export const madeBy = (entitySet: string): string =>
  `Made from the metadata of the service by \`tributary add ${entitySet}\`.`;

const fileOf = (entitySet: string) => `./${nameSet(entitySet).file}.ts`;

/** The sets of the rows of a record type, then its own, which refers to them. */
export const sandboxSets = (file: RecordTypeFile, targets: SandboxTargets): readonly SandboxSet[] => [
  ...rowSetsOf(file).map((row) => ({ entitySet: row.set, text: rowSetText(file, row, targets) })),
  { entitySet: file.entitySet, text: ownSetText(file, targets) },
];

function ownSetText(file: RecordTypeFile, targets: SandboxTargets): string {
  const { key = [], entitySet, route, watched } = file;
  const { identifier } = nameSet(entitySet);
  const rowSets = rowSetsOf(file);
  const builders = new Set(['entitySet']);
  const lines = columnsOf(file).map(([name, field]) => fieldText(file, name, field, builders));
  const writes = writesOf(file).map(
    (write) => ({ create: 'POST', update: 'PATCH', delete: 'DELETE' })[write],
  );
  const navigations = [
    ...navigationsOf(file, targets).map(({ name, target, from }) => ({ name, target, from })),
    ...rowSets.map(({ navigation, set, ownerField }) => ({
      name: navigation,
      target: set,
      ...(ownerField !== undefined && { ownerField }),
    })),
  ];
  const parts = [
    ...(route === 'v2.0' ? [] : [`route: ${literal(route)}`]),
    ...(key.length > 0 ? [`key: ${literal(key.map(({ column }) => column))}`] : []),
    ...(watched ? ['isSubscribable: true'] : []),
    ...(writes.length > 0 ? [`writes: [${writes.map(literal).join(', ')}]`] : []),
    ...(navigations.length > 0 ? [`navigations: ${literal(navigations)}`] : []),
    `seed: ${seedText(file, targets)}`,
  ];
  const imports = rowSets.map(({ set }) => `import { ${nameSet(set).identifier} } from '${fileOf(set)}';\n`);
  return `import { seedRows } from '../coded-set.ts';
import type { EntitySet } from '../entity-set.ts';
import { ${[...builders].sort().join(', ')} } from '../entity-set.ts';
${imports.sort().join('')}
/** ${madeBy(entitySet)} */
export const ${identifier}: EntitySet = entitySet(
  ${literal(entitySet)},
  ${literal(typeNameOf(file))},
  [
    ${lines.join(',\n    ')},
  ],
  {
    ${parts.join(',\n    ')},
  },
);
`;
}

const typeNameOf = ({ type }: RecordTypeFile): string => type.charAt(0).toLowerCase() + type.slice(1);

/** The columns of the set itself: those of the key first, which the file need not name, and which filters take. */
function columnsOf({ key, fields }: RecordTypeFile): readonly (readonly [name: string, field: FileField])[] {
  const own = Object.entries(fields);
  const keys = (key ?? [{ column: 'id', kind: 'uuid' as const }]).map(
    ({ column, kind }): readonly [string, FileField] => {
      const [name, field] = own.find(([each, about]) => (about.column ?? each) === column) ?? [];
      if (key && name !== undefined && field) return [name, { ...field, canFilter: true }];
      return [column, { kind, description: column }];
    },
  );
  const inKey = new Set(keys.map(([name, { column }]) => column ?? name));
  return [...keys, ...own.filter(([name, { column }]) => !inKey.has(column ?? name))];
}

/** The writes that the sandbox can carry out: it makes up no text of a key. */
const writesOf = (file: RecordTypeFile) =>
  (file.writes ?? []).filter((write) => write !== 'create' || unassignedKeys(file).length === 0);

/** Columns of the key that the service assigns, and the sandbox cannot. */
const unassignedKeys = (file: RecordTypeFile): readonly string[] =>
  columnsOf(file)
    .slice(0, file.key?.length ?? 0)
    .filter(
      ([, { kind, writes }]) => !writes?.includes('create') && !['uuid', 'int', 'safeInt'].includes(kind),
    )
    .map(([name, { column }]) => column ?? name);

function seedText(file: RecordTypeFile, targets: SandboxTargets): string {
  const fields = columnsOf(file);
  const keys = (file.key ?? []).map(({ column }) => column);
  const columns = fields.map(([name, { column }]) => column ?? name);
  const keyField = keys.length > 0 ? '' : (columns.find((column) => /^(number|code)$/.test(column)) ?? '');
  const references = referencesOf(file, targets);
  const rows = rowSetsOf(file).map(({ navigation, set, row }): readonly [string, string] => {
    const ofRows = referencesOf(row, targets);
    return [
      navigation,
      objectOf([
        ['set', nameSet(set).identifier],
        ['values', literal(seededRecords({ ...file, type: row.type }, Object.entries(row.fields), []))],
        ...(ofRows.length > 0 ? [['references', literal(Object.fromEntries(ofRows))] as const] : []),
      ]),
    ];
  });
  const options = [
    ...(references.length > 0 ? [['references', literal(Object.fromEntries(references))] as const] : []),
    ...(rows.length > 0 ? [['rows', objectOf(rows)] as const] : []),
  ];
  const records = literal(seededRecords(file, fields, keys));
  return `seedRows(${[literal(keyField), records, ...(options.length > 0 ? [objectOf(options)] : [])].join(', ')})`;
}

/** Why the sandbox's code cannot have a set; null where it can. */
export function whyNotServed({ route, key = [], entitySet }: RecordTypeFile): string | null {
  if (key.some(({ column }) => column === 'id'))
    return 'the sandbox keeps GUIDs alone in a column `id`, and its key has another';
  if (route === 'v1.0') return 'v1.0 of the sandbox has items only';
  return isCodeName(entitySet)
    ? null
    : 'its name is no name of code: English letters and digits, the first in lower case';
}

/** What a set that is served leaves out, one sentence each. */
export function describeOmissions(file: RecordTypeFile): readonly string[] {
  const set = `The sandbox's ${file.entitySet}`;
  const keys = unassignedKeys(file);
  const rowSets = new Set(rowSetsOf(file).map(({ navigation }) => navigation));
  const left = Object.values(file.rows ?? {}).filter(({ navigation }) => !rowSets.has(navigation));
  return [
    ...(file.writes?.includes('create') && keys.length > 0
      ? [`${set} takes no creates, because the service itself makes up ${keys.join(', ')}.`]
      : []),
    ...left.map(
      ({ navigation }) =>
        `${set} has no rows ${navigation}, because that is no name of code: English letters and digits.`,
    ),
    ...Object.values(file.files ?? {}).map(({ segment }) => `${set} has no file ${segment}.`),
  ];
}
