import type { RecordTypeFile } from '../business/record-files/record-file.ts';
import { fieldText, isCodeName, literal, nameSet } from './sandbox-code.ts';

/** A set that relations can refer to, by the type of its records. */
export interface SandboxTarget {
  readonly entitySet: string;
  readonly route: string;
  /** Whether its records are there before those of the new set, which refer to them. */
  readonly isSeededBefore: boolean;
}

export type SandboxTargets = ReadonlyMap<string, SandboxTarget>;

type Rows = NonNullable<RecordTypeFile['rows']>[string];

/** Rows that the sandbox has a set of. */
export interface RowSet {
  readonly set: string;
  readonly navigation: string;
  readonly row: Rows;
  /** The column with the id of the record. */
  readonly ownerField?: string;
}

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** The rows of a record type with the names of their sets: `orderLines` of orders keeps it, `Lines` becomes `orderLines`. */
export function rowSetsOf({ type, entitySet, rows = {} }: RecordTypeFile): readonly RowSet[] {
  const taken = new Set([entitySet]);
  return Object.values(rows).flatMap((row): RowSet[] => {
    const { navigation } = row;
    const isOwn = navigation.toLowerCase().startsWith(type.toLowerCase());
    const set = isOwn
      ? lowerFirst(navigation)
      : `${lowerFirst(type)}${navigation.charAt(0).toUpperCase()}${navigation.slice(1)}`;
    if (!isCodeName(set) || taken.has(set)) return [];
    taken.add(set);
    const columns = Object.entries(row.fields).map(([name, { column }]) => column ?? name);
    const owners = ['documentid', `${type.toLowerCase()}id`];
    const ownerField = columns.find((column) => owners.includes(column.toLowerCase()));
    return [{ set, navigation, row, ...(ownerField !== undefined && { ownerField }) }];
  });
}

/** The text of the set of rows, which are reached by `$expand` alone. */
export function rowSetText(file: RecordTypeFile, { set, row }: RowSet, targets: SandboxTargets): string {
  const builders = new Set(['entitySet']);
  const lines = Object.entries(row.fields).map(([name, field]) => fieldText(file, name, field, builders));
  const navigations = navigationsOf({ ...row, route: file.route }, targets);
  const parts = [
    ...(file.route === 'v2.0' ? [] : [`route: ${literal(file.route)}`]),
    'hasAddress: false',
    ...(navigations.length > 0 ? [`navigations: ${literal(navigations)}`] : []),
  ];
  return `import type { EntitySet } from '../entity-set.ts';
import { ${[...builders].sort().join(', ')} } from '../entity-set.ts';

/** Rows of ${file.entitySet}, made from the metadata of the service by \`tributary add ${file.entitySet}\`. */
export const ${nameSet(set).identifier}: EntitySet = entitySet(
  ${literal(set)},
  ${literal(lowerFirst(row.type))},
  [
    ${lines.join(',\n    ')},
  ],
  {
    ${parts.join(',\n    ')},
  },
);
`;
}

type Related = Pick<RecordTypeFile, 'fields' | 'relations'>;

interface SetNavigation {
  readonly name: string;
  readonly target: string;
  readonly from: string;
}

/** The column of each relation that has one, with the set that it refers to. */
const columnsOfRelations = ({ fields, relations = {} }: Related, targets: SandboxTargets) =>
  Object.values(relations).flatMap(({ navigation, idField, type }) => {
    const target = targets.get(type);
    const field = idField !== undefined && Object.hasOwn(fields, idField) ? fields[idField] : undefined;
    if (target === undefined || !field || idField === undefined) return [];
    return [{ navigation, target, column: field.column ?? idField }];
  });

/** Relations with a navigation and an id, to sets that the sandbox has: navigations stay within a route. */
export const navigationsOf = (
  owner: Related & Pick<RecordTypeFile, 'route'>,
  targets: SandboxTargets,
): readonly SetNavigation[] =>
  columnsOfRelations(owner, targets).flatMap(({ navigation, target, column }) =>
    navigation === undefined || target.route !== owner.route
      ? []
      : [{ name: navigation, target: target.entitySet, from: column }],
  );

/** Columns that seeded records can refer to others by, with the set of these. */
export const referencesOf = (
  owner: Related,
  targets: SandboxTargets,
): readonly (readonly [column: string, entitySet: string])[] =>
  columnsOfRelations(owner, targets).flatMap(({ target, column }) =>
    target.isSeededBefore ? [[column, target.entitySet] as const] : [],
  );
