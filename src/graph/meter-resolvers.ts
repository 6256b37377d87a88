import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLFieldResolver,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isIntrospectionType,
  isLeafType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Context } from './context.ts';
import { fieldsCountedWithParent, isRowType } from './row-types.ts';

type FieldResolver = GraphQLFieldResolver<unknown, Context>;
type Measure = (value: unknown, context: Context, info: GraphQLResolveInfo) => void;

/**
 * Wraps every resolver of a schema so that it adds its result to the operation's meter before the result is used. Fields
 * without a resolver are measured with their parent object, so every part of a response is measured.
 */
export function meterResolvers(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    const measure = type === schema.getMutationType() ? measureMutationResult : measureObject;
    for (const field of Object.values(type.getFields())) {
      if (!field.resolve || field.name === '_service') continue;
      const of = getNamedType(field.type);
      field.resolve = meterResolver(
        field.resolve as FieldResolver,
        isLeafType(of) ? measureLeaf(getLeafKind(type, field.name, of)) : measure,
      ) as GraphQLFieldResolver<unknown, unknown>;
    }
  }
}

function meterResolver(resolve: FieldResolver, measure: Measure): FieldResolver {
  return (source, args, context, info) =>
    measureWhenResolved(resolve(source, args, context, info), measure, context, info);
}

/** Measures a value now, or when its promise resolves. */
function measureWhenResolved(
  value: unknown,
  measure: Measure,
  context: Context,
  info: GraphQLResolveInfo,
): unknown {
  return isPromiseLike(value)
    ? new MeasuredPromise(value, measure, context, info)
    : measureNow(value, measure, context, info);
}

function measureNow(value: unknown, measure: Measure, context: Context, info: GraphQLResolveInfo): unknown {
  if (Array.isArray(value) && value.some(isPromiseLike))
    return value.map((entry) =>
      isPromiseLike(entry)
        ? new MeasuredPromise(entry, measure, context, info).then(undefined, toErrorValue)
        : measureNow(entry, measure, context, info),
    );
  measure(value, context, info);
  return value;
}

/**
 * An error in place of a rejection: executors treat both the same, but graphql-jit 0.8.9 appends the null of a rejected
 * entry to the list instead of putting it in its place.
 */
const toErrorValue = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error(String(reason));

/**
 * A thenable that measures the value of a promise. Not a promise of its own: a list has one per row, and each further
 * promise costs a microtask.
 */
class MeasuredPromise implements PromiseLike<unknown> {
  readonly #promise: PromiseLike<unknown>;
  readonly #measure: Measure;
  readonly #context: Context;
  readonly #info: GraphQLResolveInfo;

  constructor(promise: PromiseLike<unknown>, measure: Measure, context: Context, info: GraphQLResolveInfo) {
    this.#promise = promise;
    this.#measure = measure;
    this.#context = context;
    this.#info = info;
  }

  // biome-ignore lint/suspicious/noThenProperty: a thenable on purpose; both executors accept it.
  then<A = unknown, B = never>(
    onValue?: ((value: unknown) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): PromiseLike<A | B> {
    return this.#promise.then(
      (value): A | B | PromiseLike<A | B> => {
        let result: unknown;
        try {
          result = measureNow(value, this.#measure, this.#context, this.#info);
        } catch (error) {
          if (onError) return onError(error);
          throw error;
        }
        const turn = this.#context.meter.waitForTurn();
        if (turn) return turn.then(() => result).then(onValue);
        return onValue ? onValue(result) : (result as A);
      },
      onError &&
        ((error: unknown): B | PromiseLike<B> => {
          const turn = this.#context.meter.waitForTurn();
          return turn ? turn.then(() => onError(error)) : onError(error);
        }),
    );
  }
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';

const measureObject: Measure = (value, context, info) => {
  addValueSize(context.meter, value, getFieldShape(info), info, context);
  context.meter.assertWithinLimits();
};

// The mutation has taken effect by now, so its result must be returned.
const measureMutationResult: Measure = (value, context, info) => {
  addValueSize(context.meter, value, getFieldShape(info), info, context);
  context.meter.checkLimits();
};

const measureLeaf =
  (kind: LeafKind): Measure =>
  (value, { meter }) => {
    meter.bytes += countLeafBytes(value, kind);
    meter.assertWithinLimits();
  };

/** What a value adds to a response. */
export interface ResponseSize {
  rows: number;
  /** Estimated bytes of its JSON: at least half of the real size. */
  bytes: number;
}

/** An estimate. The longest JSON number has 24 characters; most are shorter. */
const numberBytes = 12;
const booleanBytes = 5;
const nullBytes = 4;

// Characters that take one byte in JSON and need no escape.
const unescapedText = /^[ !#-[\]-~]*$/;
const countTextBytes = (text: string): number =>
  unescapedText.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));

/** The bytes of a scalar or enum value, or of a list of them. */
function countLeafBytes(value: unknown, kind: LeafKind): number {
  if (value === null || value === undefined) return nullBytes;
  if (typeof value === 'string') return kind === 'text' ? countTextBytes(value) : value.length + 2;
  if (typeof value === 'number') return numberBytes;
  if (typeof value === 'boolean') return booleanBytes;
  if (!Array.isArray(value)) return Buffer.byteLength(JSON.stringify(value) ?? 'null');
  let bytes = '[]'.length;
  for (const entry of value) bytes += 1 + countLeafBytes(entry, kind);
  return bytes;
}

/** Adds the size of a composite field's value: an object, null, or a list of them. */
function addValueSize(
  size: ResponseSize,
  value: unknown,
  fieldShape: FieldShape,
  info: GraphQLResolveInfo,
  context: unknown,
): void {
  if (value === null || typeof value !== 'object' || value instanceof Error) {
    size.bytes += nullBytes;
  } else if (Array.isArray(value)) {
    size.bytes += '[]'.length + value.length;
    for (const entry of value) addValueSize(size, entry, fieldShape, info, context);
  } else {
    addObjectSize(size, value as Readonly<Record<string, unknown>>, fieldShape, info, context);
  }
}

function addObjectSize(
  size: ResponseSize,
  value: Readonly<Record<string, unknown>>,
  fieldShape: FieldShape,
  info: GraphQLResolveInfo,
  context: unknown,
): void {
  const objectShape = fieldShape.objectShape(resolveTypeName(value, fieldShape, info, context));
  if (!objectShape) return;
  if (fieldShape.isCountedAsRow) size.rows += 1;
  if (objectShape.isConnection) size.rows += (value.nodes as readonly unknown[]).length;
  let bytes = objectShape.fixedBytes;
  // Hot loop: an index, no iterator.
  const { leaves } = objectShape;
  for (let index = 0; index < leaves.length; index++) {
    const { name, times, kind } = leaves[index] as LeafField;
    bytes += times * (kind === 'cursor' ? Number(value.cursorBytes) : countLeafBytes(value[name], kind));
  }
  size.bytes += bytes;
  for (const { name, fieldShape: inner } of objectShape.nested)
    addValueSize(size, value[name], inner, info, context);
}

function resolveTypeName(
  value: Readonly<Record<string, unknown>>,
  { type, typeName }: FieldShape,
  info: GraphQLResolveInfo,
  context: unknown,
): string {
  if (typeName !== null) return typeName;
  const { resolveType } = type as GraphQLAbstractType;
  const name = value.__typename ?? resolveType?.(value, context, info, type as GraphQLAbstractType);
  return typeof name === 'string' ? name : '';
}

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
function getFieldShape(info: GraphQLResolveInfo): FieldShape {
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

function getLeafKind(parent: GraphQLNamedType, name: string, { name: scalar }: GraphQLNamedType): LeafKind {
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
