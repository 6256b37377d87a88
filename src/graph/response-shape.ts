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
import { fieldsCountedWithParent, isRowType } from './row-types.ts';

/** The shape that objects of one type have in a response, at one field of an operation. */
export interface ObjectShape {
  /** Bytes that are equal for every object: names, braces, commas, `__typename`. */
  readonly fixedBytes: number;
  readonly leaves: readonly LeafField[];
  /** Composite fields without a resolver: properties of the object. */
  readonly nested: readonly NestedField[];
  readonly isConnection: boolean;
}

export interface LeafField {
  readonly name: string;
  /** How often it is selected, under different aliases. */
  readonly times: number;
  readonly kind: LeafKind;
}

/** Cursors are created lazily, so only their length is known. */
export type LeafKind = 'text' | 'plain' | 'cursor';

interface NestedField {
  readonly name: string;
  readonly fieldShape: FieldShape;
}

/** A composite field of an operation, with the shapes of its objects by type name. */
export interface FieldShape {
  readonly type: GraphQLNamedType;
  /** Null for abstract types. */
  readonly typeName: string | null;
  readonly isCountedAsRow: boolean;
  objectShape(typeName: string): ObjectShape | undefined;
}

type SchemaAndFragments = Pick<GraphQLResolveInfo, 'schema' | 'fragments'>;

const fieldShapes = new WeakMap<object, FieldShape>();
// Caches the last lookup: the rows of a list look up the same field in sequence.
let lastFieldShape: { readonly key: object; readonly fieldShape: FieldShape } | null = null;

/** The shape of a resolver's field. @skip and @include count as selected: a field left out has no value and no size. */
export function getFieldShape(info: GraphQLResolveInfo): FieldShape {
  const { fieldNodes, returnType } = info;
  // Compiled operations keep one array per field; interpreted ones create it for each execution.
  const key = fieldNodes.length === 1 ? (fieldNodes[0] as FieldNode) : fieldNodes;
  if (lastFieldShape?.key === key) return lastFieldShape.fieldShape;
  let fieldShape = fieldShapes.get(key);
  if (!fieldShape) {
    fieldShape = createFieldShape(info, fieldNodes, getNamedType(returnType), false);
    fieldShapes.set(key, fieldShape);
  }
  lastFieldShape = { key, fieldShape };
  return fieldShape;
}

function createFieldShape(
  { schema, fragments }: SchemaAndFragments,
  nodes: readonly FieldNode[],
  type: GraphQLNamedType,
  isCountedAbove: boolean,
): FieldShape {
  const byType = new Map<string, ObjectShape>();
  // Most fields have objects of one type.
  let lastName: string | null = null;
  let last: ObjectShape | undefined;
  return {
    type,
    typeName: isAbstractType(type) ? null : type.name,
    isCountedAsRow: !isCountedAbove && isRowType(type),
    objectShape(typeName) {
      if (typeName === lastName) return last;
      let objectShape = byType.get(typeName);
      if (!objectShape) {
        const concrete = schema.getType(typeName);
        if (!isObjectType(concrete)) return undefined;
        objectShape = createObjectShape({ schema, fragments }, nodes, concrete);
        byType.set(typeName, objectShape);
      }
      lastName = typeName;
      last = objectShape;
      return objectShape;
    },
  };
}

function createObjectShape(
  document: SchemaAndFragments,
  nodes: readonly FieldNode[],
  type: GraphQLObjectType,
): ObjectShape {
  const fields = type.getFields();
  let fixed = '{}'.length;
  const leaves = new Map<string, LeafField>();
  const nested: NestedField[] = [];
  for (const [key, selected] of collectFields(document, nodes, type)) {
    fixed += key.length + '"":,'.length;
    const name = selected[0]?.name.value ?? '';
    const field = fields[name];
    if (name === '__typename') fixed += type.name.length + 2;
    if (!field) continue;
    const of = getNamedType(field.type);
    // A field with a resolver is measured when that resolver returns.
    if (field.resolve) fixed += 'null'.length;
    else if (isLeafType(of)) {
      const times = (leaves.get(name)?.times ?? 0) + 1;
      leaves.set(name, { name, times, kind: getLeafKind(type, name, of) });
    } else
      nested.push({
        name,
        fieldShape: createFieldShape(document, selected, of, fieldsCountedWithParent.has(name)),
      });
  }
  return {
    fixedBytes: fixed,
    leaves: [...leaves.values()],
    nested,
    isConnection: type.name.endsWith('Connection'),
  };
}

const cursorFields = new Set(['cursor', 'startCursor', 'endCursor']);

export function getLeafKind(
  parent: GraphQLNamedType,
  name: string,
  { name: scalar }: GraphQLNamedType,
): LeafKind {
  if (cursorFields.has(name) && (parent.name === 'PageInfo' || parent.name.endsWith('Edge'))) return 'cursor';
  return scalar === 'String' || scalar === 'ID' ? 'text' : 'plain';
}

/** The fields selected on a type, by response key. */
function collectFields(
  { schema, fragments }: SchemaAndFragments,
  nodes: readonly FieldNode[],
  type: GraphQLObjectType,
): ReadonlyMap<string, readonly FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const visitedFragments = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const before = fields.get(key);
        if (before) before.push(node);
        else fields.set(key, [node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        if (fragmentApplies(schema, node.typeCondition?.name.value, type)) collect(node.selectionSet);
      } else if (!visitedFragments.has(node.name.value)) {
        visitedFragments.add(node.name.value);
        const fragment: FragmentDefinitionNode | undefined = fragments[node.name.value];
        if (fragment && fragmentApplies(schema, fragment.typeCondition.name.value, type))
          collect(fragment.selectionSet);
      }
    }
  };
  for (const { selectionSet } of nodes) if (selectionSet) collect(selectionSet);
  return fields;
}

function fragmentApplies(
  schema: GraphQLSchema,
  condition: string | undefined,
  type: GraphQLObjectType,
): boolean {
  if (condition === undefined || condition === type.name) return true;
  const named = schema.getType(condition);
  return isAbstractType(named) && schema.isSubType(named, type);
}
