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
  Hole,
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
 * Executes an operation. Every object of the response has a plan, made once for the operation and its place. In one pass
 * over a value, the plan writes the fields that the value holds to the object of the response. Fields with a resolver are
 * holes: those of one pass start together, so that loads of one kind become one call, and each is filled when its value
 * arrives.
 */
export interface Projection {
  execute(options: ProjectionOptions): Promise<ProjectedResult>;
}

/** What is written of one type of objects at one place. */
class ObjectPlan {
  readonly fields: readonly PlannedField[];
  /** Creates an object without a prototype, so that a field of any name is its own. */
  readonly create = createShape();
  /** Bytes of the names and punctuation of its JSON. */
  readonly fixedBytes: number;
  readonly isConnection: boolean;
  #readers: FieldReaders | null = null;
  #reads: readonly (FieldReader | undefined)[] = [];

  constructor(typeName: string, fields: readonly PlannedField[]) {
    this.fields = fields;
    this.fixedBytes = fields.reduce((bytes, { key }) => bytes + key.length + '"":,'.length, '{}'.length);
    this.isConnection = typeName.endsWith('Connection');
  }

  /** How the fields of a source are read; null where they are its properties. The rows of a list share what was found last. */
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

/** Under this key a source may have functions that read its fields, by name. All sources of one kind have the same map. */
export const fieldReaders = Symbol('field readers');
export type FieldReaders = ReadonlyMap<string, FieldReader>;
/** Reads sources of one kind. */
type FieldReader = (source: never) => unknown;

/** Plans an operation, with the conditions of the scope. */
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
      // The fields of a mutation are executed one after another.
      steps ??= isMutation ? plan.fields.map((field) => new ObjectPlan(type.name, [field])) : [plan];
      return run.execute(
        data,
        steps.map((step) => (place) => writeFields(run, step, options.rootValue, place, data)),
      );
    },
  };
}

/** `around`: what is selected of the object, over all aliases that lead to it. */
function planObject(
  scope: SelectionScope,
  parts: readonly SelectedPart[],
  type: GraphQLObjectType,
  around: SelectedObject,
): ObjectPlan {
  const byKey = new Map<string, SelectedField[]>();
  const ofType = parts.map((part) => ({ ...part, type }));
  for (const field of collectFields(scope, ofType))
    getOrCompute(byKey, (field.node.alias ?? field.node.name).value, () => []).push(field);
  const fields = [...byKey].map(([key, selected]) => planField(scope, key, selected, type, around));
  return new ObjectPlan(
    type.name,
    fields.filter((field) => field !== null),
  );
}

const noPrototype = Object.freeze(Object.create(null));

/** A constructor of its own for each plan, so that its objects share one hidden class. */
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
  around: SelectedObject,
): PlannedField | null {
  const [{ node, definition, below }] = selected as [SelectedField];
  if (!definition) return null;
  const nodes = selected.map((field) => field.node);
  const name = node.name.value;
  const { resolve, type, extensions } = definition;
  const { isOnSource = false, known } = extensions as ProjectionExtensions;
  const info = {
    schema: scope.schema,
    around,
    selected: below ? around.below(name, below.version) : selectNothing,
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
    known: definition === TypeNameMetaFieldDef ? () => parent.name : known,
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
    // Each execution has this error at the field.
    return null;
  }
}

const hasVariable = (value: ValueNode): boolean =>
  value.kind === Kind.VARIABLE ||
  (value.kind === Kind.LIST && value.values.some(hasVariable)) ||
  (value.kind === Kind.OBJECT && value.fields.some((field) => hasVariable(field.value)));

/** A field of the response, for the values that stand there. */
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
  const arrive: Write = (run, value, above, into, key) => {
    let failure: unknown = value;
    if (value === null || value === undefined) {
      run.meter.bytes += 'null'.length;
      into[key] = null;
      if (isNullable) return true;
      failure = new Error(`Cannot return null for non-nullable field ${at.title}.`);
    } else if (isPromiseLike(value)) {
      into[key] = undefined;
      run.wait(value, (settled) => arrive(run, settled, above, into, key));
      return true;
    } else if (!(value instanceof Error))
      try {
        return write(run, value, above, into, key);
      } catch (error) {
        if (error === run.meter.failure) throw error;
        failure = error;
      }
    return run.fail(failure, at.nodes, above, into, key, isNullable);
  };
  if (!isLeafType(type) || !keepsTexts(type)) return arrive;
  return (run, value, above, into, key) => {
    if (typeof value !== 'string') return arrive(run, value, above, into, key);
    run.meter.bytes += countTextBytes(value);
    into[key] = value;
    return true;
  };
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown>).then === 'function';

const keepsTexts = (type: GraphQLLeafType): boolean =>
  type === GraphQLString || type === GraphQLID || !(isEnumType(type) || isSpecifiedScalarType(type));

const createLeafWrite =
  (type: GraphQLLeafType): Write =>
  (run, value, _above, into, key) => {
    const serialized = type.serialize(value);
    if (serialized === null || serialized === undefined)
      throw new TypeError(`${type.name} has no value for what its field holds.`);
    run.meter.bytes += countBytes(serialized);
    into[key] = serialized;
    return true;
  };

function createListWrite(itemType: GraphQLOutputType, at: FieldPlace, isNullable: boolean): Write {
  const writeItem = createWrite(itemType, at);
  return (run, value, above, into, key) => {
    if (!Array.isArray(value)) throw new TypeError(`${at.title} is a list, and its value is none.`);
    const list = new Array(value.length) as unknown as Container;
    into[key] = list;
    run.meter.bytes += '[]'.length + value.length;
    const place = new Place(above, into, key, isNullable);
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
  // Computed once: `isAbstractType` searches the prototypes.
  const abstract = isAbstractType(type) ? type : null;
  let only: ObjectPlan | null = null;
  return (run, value, above, into, key) => {
    if (abstract === null) only ??= planOf(type as GraphQLObjectType);
    const plan =
      abstract === null ? (only as ObjectPlan) : planOf(findType(abstract, value as object, run, at));
    const object = new plan.create();
    into[key] = object;
    const { meter } = run;
    if (isRow) meter.rows += 1;
    if (plan.isConnection) meter.rows += (value as { nodes: readonly unknown[] }).nodes.length;
    meter.bytes += plan.fixedBytes;
    if (run.isLimited) meter.assertWithinLimits();
    return writeFields(run, plan, value, new Place(above, into, key, isNullable), object) || isNullable;
  };
}

/** The type of an object at a field with an abstract type. */
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
    } else if (field.known !== undefined && field.constantArguments !== null) {
      value = field.known(source, field.constantArguments, run.context, field.info);
    }
    if (field.resolve !== undefined && (value === undefined || value === null)) {
      // Keeps the place in the order of the fields.
      object[field.key] = undefined;
      run.holes.push(new Hole(field, source, place, object));
    } else if (!field.write(run, value, place, object, field.key)) return false;
  }
  return true;
}

// The longest JSON number has 24 characters; most are shorter.
const numberBytes = 12;
const booleanBytes = 5;
// A short text is at most a few hundred bytes, whatever its characters.
const maxShortText = 64;
// Characters that take one byte in JSON and need no escape.
const unescapedText = /^[ !#-[\]-~]*$/;

/** The bytes of a text's JSON: at least half of the real size, but for short ones. */
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
