import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { countedAbove, isRow } from './row-types.ts';

/** What an answer shows of each object of one type in one place of an operation. */
export interface Shown {
  /** Characters of names, braces and commas, and of what is the same for every object. */
  readonly fixed: number;
  readonly leaves: readonly Leaf[];
  /** Objects that come as properties of the object, without a resolver of their own. */
  readonly nested: readonly Nested[];
  readonly isConnection: boolean;
}

interface Leaf {
  readonly name: string;
  /** How often it is selected. */
  readonly times: number;
  readonly kind: LeafKind;
}

/** A cursor is made when it is read: of those only the length is known. */
export type LeafKind = 'text' | 'plain' | 'cursor';

interface Nested {
  readonly name: string;
  readonly place: Place;
}

/** A place of an operation where objects stand: how they are shown, by the names of their types. */
export interface Place {
  readonly type: GraphQLNamedType;
  readonly isCounted: boolean;
  shown(typeName: string): Shown | undefined;
}

type Document = Pick<GraphQLResolveInfo, 'schema' | 'fragments'>;

const places = new WeakMap<object, Place>();

/** The place of a resolver. Conditions are taken to hold: what they leave out is not read, and has no length. */
export function placeOf(info: GraphQLResolveInfo): Place {
  const { fieldNodes, returnType } = info;
  // Compiled operations have one list for each place; interpreted ones make it anew for every run.
  const key = fieldNodes.length === 1 ? (fieldNodes[0] as FieldNode) : fieldNodes;
  let place = places.get(key);
  if (!place) {
    place = createPlace(info, fieldNodes, getNamedType(returnType), false);
    places.set(key, place);
  }
  return place;
}

function createPlace(
  { schema, fragments }: Document,
  nodes: readonly FieldNode[],
  type: GraphQLNamedType,
  isCountedAbove: boolean,
): Place {
  const byType = new Map<string, Shown>();
  return {
    type,
    isCounted: !isCountedAbove && isRow(type),
    shown(typeName) {
      const known = byType.get(typeName);
      if (known) return known;
      const concrete = schema.getType(typeName);
      if (!isObjectType(concrete)) return undefined;
      const shown = createShown({ schema, fragments }, nodes, concrete);
      byType.set(typeName, shown);
      return shown;
    },
  };
}

function createShown(document: Document, nodes: readonly FieldNode[], type: GraphQLObjectType): Shown {
  const fields = type.getFields();
  let fixed = '{}'.length;
  const leaves = new Map<string, Leaf>();
  const nested: Nested[] = [];
  for (const [key, selected] of collected(document, nodes, type)) {
    fixed += key.length + '"":,'.length;
    const name = selected[0]?.name.value ?? '';
    const field = fields[name];
    if (name === '__typename') fixed += type.name.length + 2;
    if (!field) continue;
    const of = getNamedType(field.type);
    // What has a resolver is charged when that has answered.
    if (field.resolve) fixed += 'null'.length;
    else if (isLeafType(of)) {
      const times = (leaves.get(name)?.times ?? 0) + 1;
      leaves.set(name, { name, times, kind: kindOf(type, name, of) });
    } else nested.push({ name, place: createPlace(document, selected, of, countedAbove.has(name)) });
  }
  return { fixed, leaves: [...leaves.values()], nested, isConnection: type.name.endsWith('Connection') };
}

const cursors = new Set(['cursor', 'startCursor', 'endCursor']);

export function kindOf(parent: GraphQLNamedType, name: string, { name: scalar }: GraphQLNamedType): LeafKind {
  if (cursors.has(name) && (parent.name === 'PageInfo' || parent.name.endsWith('Edge'))) return 'cursor';
  return scalar === 'String' || scalar === 'ID' ? 'text' : 'plain';
}

/** The fields selected of objects of this type, by the names they have in the answer. */
function collected(
  { schema, fragments }: Document,
  nodes: readonly FieldNode[],
  type: GraphQLObjectType,
): ReadonlyMap<string, readonly FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  const walk = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const before = fields.get(key);
        if (before) before.push(node);
        else fields.set(key, [node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        if (applies(schema, node.typeCondition?.name.value, type)) walk(node.selectionSet);
      } else if (!spread.has(node.name.value)) {
        spread.add(node.name.value);
        const fragment: FragmentDefinitionNode | undefined = fragments[node.name.value];
        if (fragment && applies(schema, fragment.typeCondition.name.value, type)) walk(fragment.selectionSet);
      }
    }
  };
  for (const { selectionSet } of nodes) if (selectionSet) walk(selectionSet);
  return fields;
}

function applies(schema: GraphQLSchema, condition: string | undefined, type: GraphQLObjectType): boolean {
  if (condition === undefined || condition === type.name) return true;
  const named = schema.getType(condition);
  return isAbstractType(named) && schema.isSubType(named, type);
}
