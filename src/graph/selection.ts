import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type NamedTypeNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
} from 'graphql';
import { getOrCompute } from '../runtime/memo.ts';
import type { SelectedObject } from './selected-object.ts';

export interface Selection {
  /**
   * The selection of a type, merged over all its places. With `version`, only below fields with this `version` argument, which
   * is AUTO by default.
   */
  ofType(type: string, version?: string): SelectedObject;
}

/** The last argument of resolvers, in place of `GraphQLResolveInfo`. Functions `subscribe` get that of graphql-js. */
export interface FieldInfo {
  readonly schema: GraphQLSchema;
  /** The selection of the object with the field, merged over all aliases that lead to it. */
  readonly parentSelected: SelectedObject;
  /** The selection below the field, merged over its aliases. */
  readonly selected: SelectedObject;
}

/** What is needed to evaluate selection sets. */
export interface SelectionScope {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Returns the value of a Boolean or `version` argument. */
  readonly lookup: (node: ValueNode) => unknown;
}

/** The fragments of a document by name. */
export const listFragments = ({ definitions }: DocumentNode): SelectionScope['fragments'] =>
  new Map(
    definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );

/** A selection set, with the type and version of its objects. */
export interface SelectedPart {
  readonly set: SelectionSetNode;
  readonly type: GraphQLNamedType;
  readonly version: string;
}

/** A selected field of an object of this version. */
export interface SelectedField {
  readonly node: FieldNode;
  readonly version: string;
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  /** Null for a leaf. */
  readonly below: SelectedPart | null;
}

export function createSelection(scope: SelectionScope, root: SelectedPart): Selection {
  const objects = new Map<string, SelectedObject>();
  let byType: ReadonlyMap<string, readonly SelectedField[]> | undefined;
  return {
    ofType: (type, version) =>
      getOrCompute(objects, `${type} ${version}`, () =>
        createSelectedObject(scope, () => {
          byType ??= collectByType(scope, [root], true);
          const fields = byType.get(type) ?? [];
          return version === undefined ? fields : fields.filter((field) => field.version === version);
        }),
      ),
  };
}

/** Merges parts to one selection, lazily. */
export const selectParts = (scope: SelectionScope, parts: readonly SelectedPart[]): SelectedObject =>
  createSelectedObject(scope, () => collectFields(scope, parts));

function createSelectedObject(
  scope: SelectionScope,
  collect: () => readonly SelectedField[],
): SelectedObject {
  let collected: readonly SelectedField[] | undefined;
  let names: ReadonlySet<string> | undefined;
  const objects = new Map<string, SelectedObject>();
  const list = () => {
    collected ??= collect();
    return collected;
  };
  return {
    get fields() {
      names ??= new Set(list().map(({ node }) => node.name.value));
      return names;
    },
    below: (name, version) =>
      getOrCompute(objects, `${name} ${version}`, () => {
        const matches = ({ node, below }: SelectedField) =>
          node.name.value === name && (version === undefined || below?.version === version);
        return createSelectedObject(scope, () => collectFields(scope, partsBelow(list().filter(matches))));
      }),
  };
}

export const partsBelow = (fields: readonly SelectedField[]): SelectedPart[] =>
  fields.flatMap(({ below }) => below ?? []);

/** Collects the fields of parts and of their fragments, in the order of their first occurrence. */
export const collectFields = (scope: SelectionScope, parts: readonly SelectedPart[]): SelectedField[] =>
  [...collectByType(scope, parts, false).values()].flat();

/**
 * Collects the fields of parts by object type; with `isDeep`, also the fields below them. Visits a selection set once for each
 * type and version, so that time and size are linear in the document, however often fragments are spread.
 */
function collectByType(
  scope: SelectionScope,
  parts: readonly SelectedPart[],
  isDeep: boolean,
): ReadonlyMap<string, readonly SelectedField[]> {
  const byType = new Map<string, SelectedField[]>();
  const visitedByVersion = new Map<string, Set<SelectionSetNode | string>>();
  const queue = [...parts];
  // The queue grows during the iteration.
  for (const { set, type, version } of queue)
    for (const one of listObjectTypes(scope, type)) {
      const fields = getOrCompute(byType, one.name, () => []);
      const visited = getOrCompute(visitedByVersion, `${one.name} ${version}`, () => new Set());
      visitFields(scope, set, one, visited, (node) => {
        const field = readField(scope, node, one, version);
        if (isDeep) {
          if (field.below) queue.push(field.below);
          // A leaf is collected once, also if it has several aliases.
          else if (visited.has(node.name.value)) return;
          else visited.add(node.name.value);
        }
        fields.push(field);
      });
    }
  return byType;
}

const listObjectTypes = ({ schema }: SelectionScope, type: GraphQLNamedType): readonly GraphQLObjectType[] =>
  isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];

function visitFields(
  scope: SelectionScope,
  set: SelectionSetNode,
  type: GraphQLObjectType,
  visited: Set<SelectionSetNode | string>,
  visit: (node: FieldNode) => void,
): void {
  if (visited.has(set)) return;
  visited.add(set);
  for (const node of set.selections) {
    if (!isIncluded(node, scope)) continue;
    if (node.kind === Kind.FIELD) visit(node);
    else {
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? scope.fragments.get(node.name.value) : node;
      if (fragment && applies(fragment.typeCondition, type, scope))
        visitFields(scope, fragment.selectionSet, type, visited, visit);
    }
  }
}

function isIncluded({ directives = [] }: SelectionNode, { lookup }: SelectionScope): boolean {
  return directives.every(({ name, arguments: given }) => {
    const condition = given?.[0] && lookup(given[0].value);
    return (
      !(name.value === 'skip' && condition === true) && !(name.value === 'include' && condition === false)
    );
  });
}

function applies(
  condition: NamedTypeNode | undefined,
  type: GraphQLObjectType,
  { schema }: SelectionScope,
): boolean {
  if (condition === undefined || condition.name.value === type.name) return true;
  const other = schema.getType(condition.name.value);
  return isAbstractType(other) && schema.isSubType(other, type);
}

function readField(
  { schema, lookup }: SelectionScope,
  node: FieldNode,
  parent: GraphQLObjectType,
  version: string,
): SelectedField {
  const definition = findDefinition(schema, parent, node.name.value);
  if (!definition || !node.selectionSet) return { node, version, definition, below: null };
  const given = node.arguments?.find(({ name }) => name.value === 'version');
  const hasVersion = definition.args.some(({ name }) => name === 'version');
  const below = {
    set: node.selectionSet,
    type: getNamedType(definition.type),
    version: hasVersion ? String((given && lookup(given.value)) ?? 'AUTO') : version,
  };
  return { node, version, definition, below };
}

/** Finds a field of a type, including the fields of introspection. */
export function findDefinition(schema: GraphQLSchema, parent: GraphQLNamedType | undefined, name: string) {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (parent === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}
