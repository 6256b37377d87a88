import {
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLField,
  GraphQLID,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
  getArgumentValues,
  getNamedType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  TypeNameMetaFieldDef,
  type ValueNode,
} from 'graphql';
import { getOrCompute } from '../runtime/memo.ts';
import {
  type Container,
  type FieldResolver,
  PendingField,
  Place,
  type PlannedField,
  type ProjectedResult,
  type ProjectionExtensions,
  type ProjectionOptions,
  Run,
  type Write,
} from './projection-run.ts';
import { fieldsCountedWithParent, isRowType } from './row-types.ts';
import { type SelectedObject, selectNothing } from './selected-object.ts';
import {
  collectFields,
  type FieldInfo,
  partsBelow,
  type SelectedField,
  type SelectedPart,
  type SelectionScope,
  selectParts,
} from './selection.ts';

/**
 * Executes an operation. Each place of the response has a plan, created once per operation. In one pass over a value, the plan
 * writes the fields that the value has. Fields with a resolver are pending: the resolvers of one pass start together, so that
 * their loads are coalesced, and each field is written when its value is available.
 */
export interface Projection {
  execute(options: ProjectionOptions): Promise<ProjectedResult>;
}

/** How objects of one type at one place are written. */
class ObjectPlan {
  readonly fields: readonly PlannedField[];
  /** Creates an object without a prototype, so that no field name clashes with an inherited property. */
  readonly create = createShape();
  /** The size in bytes of the names and punctuation in its JSON. */
  readonly fixedBytes: number;
  readonly isConnection: boolean;
  #readers: FieldReaders | null = null;
  #reads: readonly (FieldReader | undefined)[] = [];

  constructor(typeName: string, fields: readonly PlannedField[]) {
    this.fields = fields;
    this.fixedBytes = fields.reduce((bytes, { key }) => bytes + key.length + '"":,'.length, '{}'.length);
    this.isConnection = typeName.endsWith('Connection');
  }

  /** The readers of the fields of a source; null if its fields are properties. Cached, because all rows of a list share them. */
  readsOf(source: unknown): readonly (FieldReader | undefined)[] | null {
    const readers = (source as { readonly [fieldReaders]?: FieldReaders } | undefined)?.[fieldReaders];
    if (readers === undefined) return null;
    if (readers !== this.#readers) {
      this.#readers = readers;
      this.#reads = this.fields.map(({ name }) => readers.get(name));
    }
    return this.#reads;
  }
}

/** The key of a source's map of functions that read its fields, by name. All sources of one kind share one map. */
export const fieldReaders = Symbol('field readers');
type FieldReaders = ReadonlyMap<string, FieldReader>;
type FieldReader = (source: never) => unknown;

/** Plans an operation for the variables of the scope. */
export function createProjection(
  scope: SelectionScope,
  type: GraphQLObjectType,
  root: SelectedPart,
): Projection {
  const isMutation = type === scope.schema.getMutationType();
  let plan: ObjectPlan | undefined;
  let steps: readonly ObjectPlan[] | undefined;
  return {
    execute(options) {
      plan ??= planObject(scope, [root], type, selectParts(scope, [root]));
      const run = new Run(options, isMutation);
      const data = new plan.create();
      options.meter.bytes += plan.fixedBytes;
      // The fields of a mutation are executed in sequence.
      steps ??= isMutation ? plan.fields.map((field) => new ObjectPlan(type.name, [field])) : [plan];
      return run.execute(
        data,
        steps.map((step) => (place) => writeFields(run, step, options.rootValue, place, data)),
      );
    },
  };
}

/** `parentSelected` is the selection of the object over all aliases that lead to it. */
function planObject(
  scope: SelectionScope,
  parts: readonly SelectedPart[],
  type: GraphQLObjectType,
  parentSelected: SelectedObject,
): ObjectPlan {
  const byKey = new Map<string, SelectedField[]>();
  const ofType = parts.map((part) => ({ ...part, type }));
  for (const field of collectFields(scope, ofType))
    getOrCompute(byKey, (field.node.alias ?? field.node.name).value, () => []).push(field);
  const fields = [...byKey].map(([key, selected]) => planField(scope, key, selected, type, parentSelected));
  return new ObjectPlan(
    type.name,
    fields.filter((field) => field !== null),
  );
}

const noPrototype = Object.freeze(Object.create(null));

/** Creates a constructor per plan, so that the objects of a plan share one hidden class of V8. */
function createShape(): new () => Container {
  const Shape = function Shape() {} as unknown as new () => Container;
  Shape.prototype = noPrototype;
  return Shape;
}

function planField(
  scope: SelectionScope,
  key: string,
  selected: readonly SelectedField[],
  parent: GraphQLObjectType,
  parentSelected: SelectedObject,
): PlannedField | null {
  const [{ node, definition, below }] = selected as [SelectedField];
  if (!definition) return null;
  const nodes = selected.map((field) => field.node);
  const name = node.name.value;
  const { resolve, type, extensions } = definition;
  const { isOnSource = false, readFromSource } = extensions as ProjectionExtensions;
  const info = {
    schema: scope.schema,
    parentSelected,
    selected: below ? parentSelected.below(name, below.version) : selectNothing,
  };
  const isRow =
    isRowType(getNamedType(type)) && (resolve !== undefined || !fieldsCountedWithParent.has(name));
  const parts = partsBelow(selected);
  const at: FieldPlace = { scope, nodes, parts, info, isRow, title: `${parent.name}.${name}` };
  return {
    key,
    name,
    nodes,
    definition,
    resolve: resolve as FieldResolver | undefined,
    isOnSource,
    readFromSource: definition === TypeNameMetaFieldDef ? () => parent.name : readFromSource,
    info,
    constantArguments: readConstantArguments(definition, node),
    write: createWrite(type, at),
  };
}

function readConstantArguments(definition: GraphQLField<unknown, unknown>, node: FieldNode) {
  if (node.arguments?.some(({ value }) => hasVariable(value))) return null;
  try {
    return getArgumentValues(definition, node);
  } catch {
    // The arguments are invalid: each execution reports the error at the field.
    return null;
  }
}

const hasVariable = (value: ValueNode): boolean =>
  value.kind === Kind.VARIABLE ||
  (value.kind === Kind.LIST && value.values.some(hasVariable)) ||
  (value.kind === Kind.OBJECT && value.fields.some((field) => hasVariable(field.value)));

/** A field of the response, as needed to write its values. */
interface FieldPlace {
  readonly scope: SelectionScope;
  readonly nodes: readonly FieldNode[];
  readonly parts: readonly SelectedPart[];
  readonly info: FieldInfo;
  /** Whether each of its objects counts as a row. */
  readonly isRow: boolean;
  /** For messages. */
  readonly title: string;
}

function createWrite(type: GraphQLOutputType, at: FieldPlace, isNullable = true): Write {
  if (isNonNullType(type)) return createWrite(type.ofType, at, false);
  const write = isLeafType(type)
    ? createLeafWrite(type)
    : isListType(type)
      ? createListWrite(type.ofType, at, isNullable)
      : createObjectWrite(type, at, isNullable);
  const writeAny: Write = (run, value, parent, container, key) => {
    let failure: unknown = value;
    if (value === null || value === undefined) {
      run.meter.bytes += 'null'.length;
      container[key] = null;
      if (isNullable) return true;
      failure = new Error(`Cannot return null for non-nullable field ${at.title}.`);
    } else if (isPromiseLike(value)) {
      container[key] = undefined;
      run.wait(value, (settled) => writeAny(run, settled, parent, container, key));
      return true;
    } else if (!(value instanceof Error))
      try {
        return write(run, value, parent, container, key);
      } catch (error) {
        if (error === run.meter.failure) throw error;
        failure = error;
      }
    return run.fail(failure, at.nodes, parent, container, key, isNullable);
  };
  if (!isLeafType(type) || !keepsTexts(type)) return writeAny;
  // Fast path for texts.
  return (run, value, parent, container, key) => {
    if (typeof value !== 'string') return writeAny(run, value, parent, container, key);
    run.meter.bytes += countTextBytes(value);
    container[key] = value;
    return true;
  };
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown>).then === 'function';

/** Whether the type serializes a text to itself. */
const keepsTexts = (type: GraphQLLeafType): boolean =>
  type === GraphQLString || type === GraphQLID || !(isEnumType(type) || isSpecifiedScalarType(type));

const createLeafWrite =
  (type: GraphQLLeafType): Write =>
  (run, value, _above, container, key) => {
    const serialized = type.serialize(value);
    if (serialized === null || serialized === undefined)
      throw new TypeError(`${type.name} has no value for what its field holds.`);
    run.meter.bytes += countBytes(serialized);
    container[key] = serialized;
    return true;
  };

function createListWrite(itemType: GraphQLOutputType, at: FieldPlace, isNullable: boolean): Write {
  const writeItem = createWrite(itemType, at);
  return (run, value, parent, container, key) => {
    if (!Array.isArray(value)) throw new TypeError(`${at.title} is a list, and its value is none.`);
    const list = new Array(value.length) as unknown as Container;
    container[key] = list;
    run.meter.bytes += '[]'.length + value.length;
    const place = new Place(parent, container, key, isNullable);
    for (let index = 0; index < value.length; index++)
      if (!writeItem(run, value[index], place, list, index)) return isNullable;
    return true;
  };
}

function createObjectWrite(
  type: GraphQLObjectType | GraphQLAbstractType,
  at: FieldPlace,
  isNullable: boolean,
): Write {
  const { scope, parts, info, isRow } = at;
  const plans = new Map<GraphQLObjectType, ObjectPlan>();
  const planOf = (concrete: GraphQLObjectType) =>
    getOrCompute(plans, concrete, () => planObject(scope, parts, concrete, info.selected));
  // Computed once, because `isAbstractType` searches prototype chains.
  const abstract = isAbstractType(type) ? type : null;
  let only: ObjectPlan | null = null;
  return (run, value, parent, container, key) => {
    if (abstract === null) only ??= planOf(type as GraphQLObjectType);
    const plan =
      abstract === null ? (only as ObjectPlan) : planOf(findType(abstract, value as object, run, at));
    const object = new plan.create();
    container[key] = object;
    const { meter } = run;
    if (isRow) meter.rows += 1;
    if (plan.isConnection) meter.rows += (value as { nodes: readonly unknown[] }).nodes.length;
    meter.bytes += plan.fixedBytes;
    if (run.isLimited) meter.assertWithinLimits();
    return writeFields(run, plan, value, new Place(parent, container, key, isNullable), object) || isNullable;
  };
}

/** The concrete type of an object in a field with an abstract type. */
function findType(
  type: GraphQLAbstractType,
  value: object,
  { context }: Run,
  { scope: { schema }, info, title }: FieldPlace,
): GraphQLObjectType {
  const name = type.resolveType
    ? type.resolveType(value, context, info as never, type)
    : (value as { __typename?: unknown }).__typename;
  const found = typeof name === 'string' ? schema.getType(name) : null;
  if (isObjectType(found) && schema.isSubType(type, found)) return found;
  throw new TypeError(`The type of the object at ${title} is unknown.`);
}

function writeFields(run: Run, plan: ObjectPlan, source: unknown, place: Place, object: Container): boolean {
  const { fields } = plan;
  const reads = plan.readsOf(source);
  // Hot loop: an index, no iterator.
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index] as PlannedField;
    let value: unknown;
    if (field.resolve === undefined || field.isOnSource) {
      const read = reads === null ? undefined : reads[index];
      value = read === undefined ? (source as Container)?.[field.name] : read(source as never);
    } else if (field.readFromSource !== undefined && field.constantArguments !== null) {
      value = field.readFromSource(source, field.constantArguments, run.context, field.info);
    }
    if (field.resolve !== undefined && (value === undefined || value === null)) {
      // Reserves the field's position in the order of properties.
      object[field.key] = undefined;
      run.pendingFields.push(new PendingField(field, source, place, object));
    } else if (!field.write(run, value, place, object, field.key)) return false;
  }
  return true;
}

// An average: the longest JSON number has 24 characters, most are shorter.
const numberBytes = 12;
const booleanBytes = 5;
// The characters of a short text are not inspected: escaped, it has at most a few hundred bytes.
const maxShortText = 64;
// Characters that take one byte in JSON and need no escape.
const unescapedText = /^[ !#-[\]-~]*$/;

/** The size of a text's JSON in bytes: exact for long texts, an estimate for short ones. */
const countTextBytes = (text: string): number =>
  text.length <= maxShortText || unescapedText.test(text)
    ? text.length + '""'.length
    : Buffer.byteLength(JSON.stringify(text));

function countBytes(value: unknown): number {
  if (typeof value === 'string') return countTextBytes(value);
  if (typeof value === 'number') return numberBytes;
  if (typeof value === 'boolean') return booleanBytes;
  return Buffer.byteLength(JSON.stringify(value) ?? 'null');
}
