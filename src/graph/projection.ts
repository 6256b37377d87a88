import {
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLID,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
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
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  visit,
} from 'graphql';
import type { ResponseMeter } from './response-meter.ts';
import { fieldsCountedWithParent, isRowType } from './row-types.ts';
import { type SelectionScope, visitFields } from './selected-object.ts';

/**
 * Executes an operation. Every object of the response has a plan, made once for the operation and its place. In one pass
 * over a value, the plan writes the fields that the value holds to the object of the response. Fields with a resolver are
 * holes: those of one pass start together, so that loads of one kind become one call, and each is filled when its value
 * arrives.
 */
export interface Projection {
  execute(options: ProjectionOptions): Promise<ProjectedResult>;
}

export interface ProjectionOptions {
  readonly rootValue: unknown;
  readonly context: unknown;
  /** Coerced values. */
  readonly variables: Variables;
  readonly meter: ResponseMeter;
}

export interface ProjectedResult {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors: readonly FieldError[];
}

/** Why a field is null. A `GraphQLError` without its locations: graphql-js would search the document for each. */
export interface FieldError extends Pick<GraphQLError, 'message' | 'nodes' | 'path' | 'originalError'> {
  readonly path: readonly (string | number)[];
}

type Variables = Readonly<Record<string, unknown>>;
type Container = Record<string | number, unknown>;
type Key = string | number;

/** The place of an object or list in the response: `into[key]`. The place of `into` is `above`, null for the root's. */
class Place {
  readonly above: Place | null;
  readonly into: Container;
  readonly key: Key;
  readonly isNullable: boolean;

  constructor(above: Place | null, into: Container, key: Key, isNullable: boolean) {
    this.above = above;
    this.into = into;
    this.key = key;
    this.isNullable = isNullable;
  }
}

/**
 * Writes a value to `into[key]`, with what is selected below it. `above` is the place of `into`. False if that place has
 * become null, because the value is missing or failed and may not be null.
 */
type Write = (run: Run, value: unknown, above: Place, into: Container, key: Key) => boolean;

/**
 * Extensions of a field that has a resolver. Where they give a value, it is written in the same pass, and the resolver is not
 * called.
 */
export interface ProjectionExtensions {
  /** Whether the source may hold the value under the field's name. */
  readonly isOnSource?: boolean;
  /** Finds the value from the source. It neither throws nor calls an upstream. */
  readonly known?: GraphQLFieldResolver<unknown, unknown>;
}

/** A field of an object of the response. */
interface PlannedField {
  readonly key: string;
  readonly name: string;
  readonly nodes: readonly FieldNode[];
  readonly definition: GraphQLField<unknown, unknown>;
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined;
  readonly isOnSource: boolean;
  readonly known: ProjectionExtensions['known'];
  /** What resolvers use of it: the schema, the nodes, and the path without indexes. One object for all rows. */
  readonly info: GraphQLResolveInfo;
  /** The arguments, where they are equal for all executions; null where they depend on variables, or are invalid. */
  readonly constantArguments: Readonly<Record<string, unknown>> | null;
  readonly write: Write;
}

/** What is written of one type of objects at one place. */
class ObjectPlan {
  readonly typeName: string;
  readonly fields: readonly PlannedField[];
  /** Creates an object without a prototype, so that a field of any name is its own. */
  readonly create = createShape();
  /** Bytes of the names and punctuation of its JSON. */
  readonly fixedBytes: number;
  readonly isConnection: boolean;
  #readers: FieldReaders | null = null;
  #reads: readonly (FieldReader | undefined)[] = [];

  constructor(typeName: string, fields: readonly PlannedField[]) {
    this.typeName = typeName;
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
// biome-ignore lint/suspicious/noExplicitAny: each reads sources of its own kind
type FieldReader = (source: any) => unknown;

/** A field whose value a resolver gives. */
class Hole {
  readonly field: PlannedField;
  readonly source: unknown;
  readonly above: Place;
  readonly into: Container;

  constructor(field: PlannedField, source: unknown, above: Place, into: Container) {
    this.field = field;
    this.source = source;
    this.above = above;
    this.into = into;
  }
}

// Values that arrive at once in a long operation share a turn. Each takes up to 10 µs, with what its selection needs.
const maxInTurn = 1_000;

/** Plans an operation, with the conditions of the scope. */
export function createProjection(scope: SelectionScope, operation: OperationDefinitionNode): Projection {
  const { schema } = scope;
  const type = schema.getRootType(operation.operation);
  let root: ObjectPlan | undefined;
  const planner = { scope, operation };
  return {
    execute(options) {
      if (!type) throw new TypeError(`The schema has no type for a ${operation.operation}.`);
      root ??= planObject(planner, [operation], type, undefined);
      return new Run(options).execute(root, operation.operation === 'mutation');
    },
  };
}

interface Planner {
  readonly scope: SelectionScope;
  readonly operation: OperationDefinitionNode;
}

type Path = GraphQLResolveInfo['path'] | undefined;

function planObject(
  planner: Planner,
  nodes: readonly (FieldNode | OperationDefinitionNode)[],
  type: GraphQLObjectType,
  path: Path,
): ObjectPlan {
  const nodesByKey = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  for (const { selectionSet: set } of nodes)
    if (set)
      visitFields(planner.scope, { set, type, version: '' }, visited, (node) => {
        const key = (node.alias ?? node.name).value;
        const known = nodesByKey.get(key);
        if (known) known.push(node);
        else nodesByKey.set(key, [node]);
      });
  const fields = [...nodesByKey].map(([key, fieldNodes]) => planField(planner, key, fieldNodes, type, path));
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
  planner: Planner,
  key: string,
  nodes: readonly FieldNode[],
  parent: GraphQLObjectType,
  prev: Path,
): PlannedField | null {
  const { scope, operation } = planner;
  const [node] = nodes as [FieldNode];
  const name = node.name.value;
  const path = { prev, key, typename: parent.name };
  if (name === '__typename') return planTypename(key, nodes, parent);
  const definition = findField(planner, parent, name);
  if (!definition) return null;
  const info = {
    fieldName: name,
    fieldNodes: nodes,
    returnType: definition.type,
    parentType: parent,
    path,
    schema: scope.schema,
    operation,
  } as unknown as GraphQLResolveInfo;
  const named = getNamedType(definition.type);
  const isRow = isRowType(named) && (definition.resolve !== undefined || !fieldsCountedWithParent.has(name));
  const at: FieldPlace = { planner, nodes, path, info, isRow, describe: () => `${parent.name}.${name}` };
  return {
    key,
    name,
    nodes,
    definition,
    resolve: definition.resolve,
    ...readExtensions(definition),
    info,
    constantArguments: readConstantArguments(definition, node),
    write: createWrite(definition.type, at),
  };
}

const readExtensions = ({ extensions }: GraphQLField<unknown, unknown>) => {
  const { isOnSource = false, known } = extensions as ProjectionExtensions;
  return { isOnSource, known };
};

function planTypename(key: string, nodes: readonly FieldNode[], { name }: GraphQLObjectType): PlannedField {
  const write: Write = ({ meter }, _value, _above, into) => {
    meter.bytes += name.length + '""'.length;
    into[key] = name;
    return true;
  };
  const unused = null as never;
  return {
    key,
    name,
    nodes,
    definition: unused,
    resolve: undefined,
    isOnSource: false,
    known: undefined,
    info: unused,
    constantArguments: null,
    write,
  };
}

function findField({ scope: { schema } }: Planner, parent: GraphQLObjectType, name: string) {
  if (parent === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return parent.getFields()[name];
}

function readConstantArguments(definition: GraphQLField<unknown, unknown>, node: FieldNode) {
  let hasVariables = false;
  visit(node, {
    SelectionSet: () => false,
    Variable: () => {
      hasVariables = true;
    },
  });
  if (hasVariables) return null;
  try {
    return getArgumentValues(definition, node);
  } catch {
    // Each execution has this error at the field.
    return null;
  }
}

/** A field of the response, for the values that stand there. */
interface FieldPlace {
  readonly planner: Planner;
  readonly nodes: readonly FieldNode[];
  readonly path: Path;
  readonly info: GraphQLResolveInfo;
  /** Whether each of its objects counts as a row. */
  readonly isRow: boolean;
  describe(): string;
}

function createWrite(type: GraphQLOutputType, at: FieldPlace, isNullable = true): Write {
  if (isNonNullType(type)) return createWrite(type.ofType, at, false);
  if (isLeafType(type)) return createLeafWrite(type, at, isNullable);
  const write = isListType(type)
    ? createListWrite(type.ofType, at, isNullable)
    : createObjectWrite(type, at, isNullable);
  const arrive: Write = (run, value, above, into, key) => {
    if (value === null || value === undefined) return writeNull(run, at, above, into, key, isNullable);
    if (isPromiseLike(value)) return wait(run, value, arrive, at, above, into, key, isNullable);
    let failure: unknown = value;
    if (!(value instanceof Error))
      try {
        return write(run, value, above, into, key);
      } catch (error) {
        if (error === run.meter.failure) throw error;
        failure = error;
      }
    return run.fail(failure, at.nodes, above, into, key, isNullable);
  };
  return arrive;
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown>).then === 'function';

function createLeafWrite(type: GraphQLLeafType, at: FieldPlace, isNullable: boolean): Write {
  // Other scalars keep texts as they are.
  const mayChangeText = isEnumType(type) || isSpecifiedScalarType(type);
  const isText = !mayChangeText || type === GraphQLString || type === GraphQLID;
  const write: Write = (run, value, above, into, key) => {
    if (isText && typeof value === 'string') {
      run.meter.bytes += countTextBytes(value);
      into[key] = value;
      return true;
    }
    if (value === null || value === undefined) return writeNull(run, at, above, into, key, isNullable);
    if (isPromiseLike(value)) return wait(run, value, write, at, above, into, key, isNullable);
    let failure: unknown = value;
    if (!(value instanceof Error))
      try {
        const serialized = type.serialize(value);
        if (serialized === null || serialized === undefined)
          throw new TypeError(`${type.name} has no value for what its field holds.`);
        run.meter.bytes += countBytes(serialized);
        into[key] = serialized;
        return true;
      } catch (error) {
        failure = error;
      }
    return run.fail(failure, at.nodes, above, into, key, isNullable);
  };
  return write;
}

function writeNull(
  run: Run,
  at: FieldPlace,
  above: Place,
  into: Container,
  key: Key,
  isNullable: boolean,
): boolean {
  run.meter.bytes += 'null'.length;
  into[key] = null;
  if (isNullable) return true;
  const reason = new Error(`Cannot return null for non-nullable field ${at.describe()}.`);
  return run.fail(reason, at.nodes, above, into, key, false);
}

function wait(
  run: Run,
  value: PromiseLike<unknown>,
  write: Write,
  { nodes }: FieldPlace,
  above: Place,
  into: Container,
  key: Key,
  isNullable: boolean,
): boolean {
  into[key] = undefined;
  run.wait(
    value,
    (settled) => write(run, settled, above, into, key),
    (reason) => run.fail(reason, nodes, above, into, key, isNullable),
  );
  return true;
}

function createListWrite(itemType: GraphQLOutputType, at: FieldPlace, isNullable: boolean): Write {
  const writeItem = createWrite(itemType, at);
  return (run, value, above, into, key) => {
    if (!Array.isArray(value)) throw new TypeError(`${at.describe()} is a list, and its value is none.`);
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
  const { planner, nodes, path, isRow } = at;
  const plans = new Map<GraphQLObjectType, ObjectPlan>();
  let lastType: GraphQLObjectType | null = null;
  let last: ObjectPlan | null = null;
  const planOf = (concrete: GraphQLObjectType): ObjectPlan => {
    if (concrete === lastType) return last as ObjectPlan;
    const plan = plans.get(concrete) ?? planObject(planner, nodes, concrete, path);
    plans.set(concrete, plan);
    lastType = concrete;
    last = plan;
    return plan;
  };
  // Asked once: graphql-js finds it out by the prototype.
  const abstract = isAbstractType(type) ? type : null;
  return (run, value, above, into, key) => {
    const plan = planOf(
      abstract === null ? (type as GraphQLObjectType) : findType(abstract, value as object, run, at),
    );
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
  { planner, info, describe }: FieldPlace,
): GraphQLObjectType {
  const { schema } = planner.scope;
  const name = type.resolveType
    ? type.resolveType(value, context, info, type)
    : (value as { __typename?: unknown }).__typename;
  const found = typeof name === 'string' ? schema.getType(name) : null;
  if (isObjectType(found) && schema.isSubType(type, found)) return found;
  throw new TypeError(`The type of the object at ${describe()} is unknown.`);
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
      value = read === undefined ? (source as Container)?.[field.name] : read(source);
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

/** One execution of a projection. */
class Run {
  readonly holes: Hole[] = [];
  readonly context: unknown;
  readonly meter: ResponseMeter;
  /** Whether a response that exceeds a limit ends the execution. A mutation has taken effect, and its result is returned. */
  isLimited = true;
  readonly #rootValue: unknown;
  readonly #variables: Variables;
  readonly #errors: FieldError[] = [];
  /** The paths of objects and lists that became null because of an error below them, each with this error. */
  readonly #nulled: { readonly path: FieldError['path']; readonly error: FieldError }[] = [];
  readonly #arguments = new Map<PlannedField, Readonly<Record<string, unknown>>>();
  /** How many holes wait for their values. */
  #waiting = 0;
  #onSettled: (() => void) | null = null;
  #onFailed: ((reason: unknown) => void) | null = null;
  /** What arrived while the execution waits for its turn. */
  #arrived: (() => void)[] = [];
  #hasTurn = false;

  constructor({ rootValue, context, variables, meter }: ProjectionOptions) {
    this.#rootValue = rootValue;
    this.context = context;
    this.#variables = variables;
    this.meter = meter;
  }

  async execute(root: ObjectPlan, isMutation: boolean): Promise<ProjectedResult> {
    this.isLimited = !isMutation;
    const result: Container = {};
    const place = new Place(null, result, 'data', true);
    const object = new root.create();
    result.data = object;
    this.meter.bytes += root.fixedBytes;
    // The fields of a mutation are executed one after another, each with all that is selected below it.
    const steps = isMutation ? root.fields.map((field) => new ObjectPlan(root.typeName, [field])) : [root];
    for (const step of steps) {
      writeFields(this, step, this.#rootValue, place, object);
      this.#startHoles();
      if (this.#waiting > 0)
        await new Promise<void>((resolve, reject) => {
          this.#onSettled = resolve;
          this.#onFailed = reject;
        });
    }
    return { data: result.data as ProjectedResult['data'], errors: this.#listErrors() };
  }

  #startHoles(): void {
    const { holes } = this;
    // Fields that resolve at once add holes of the next level.
    for (let index = 0; index < holes.length; index++) {
      const { field, source, above, into } = holes[index] as Hole;
      if (this.#nulled.length > 0 && !isAttached(above, into)) continue;
      field.write(this, this.#resolve(field, source), above, into, field.key);
    }
    holes.length = 0;
  }

  #resolve(field: PlannedField, source: unknown): unknown {
    if (this.meter.failure) return this.meter.failure;
    try {
      return field.resolve?.(source, this.#argumentsOf(field), this.context, field.info);
    } catch (error) {
      return toError(error);
    }
  }

  #argumentsOf(field: PlannedField): Readonly<Record<string, unknown>> {
    if (field.constantArguments !== null) return field.constantArguments;
    let known = this.#arguments.get(field);
    if (!known) {
      known = getArgumentValues(field.definition, field.nodes[0] as FieldNode, this.#variables);
      this.#arguments.set(field, known);
    }
    return known;
  }

  wait(
    promise: PromiseLike<unknown>,
    onValue: (value: unknown) => unknown,
    onError: (reason: unknown) => unknown,
  ) {
    this.#waiting += 1;
    promise.then(
      (value) => this.#arrive(() => onValue(value)),
      (reason) => this.#arrive(() => onError(reason)),
    );
  }

  #arrive(write: () => void): void {
    if (this.meter.isLongWork()) {
      this.#arrived.push(write);
      if (!this.#hasTurn) void this.#takeTurns();
    } else this.#fill([write]);
  }

  async #takeTurns(): Promise<void> {
    this.#hasTurn = true;
    while (this.#arrived.length > 0) {
      await this.meter.waitForTurn();
      const writes = this.#arrived.slice(0, maxInTurn);
      this.#arrived = this.#arrived.slice(maxInTurn);
      this.#fill(writes);
    }
    this.#hasTurn = false;
  }

  #fill(writes: readonly (() => void)[]): void {
    try {
      for (const write of writes) write();
      this.#startHoles();
    } catch (error) {
      this.#onFailed?.(error);
    }
    this.#waiting -= writes.length;
    if (this.#waiting === 0) this.#onSettled?.();
  }

  /** Records why a field has no value, and makes its nearest nullable place null. False if that is not the field itself. */
  fail(
    reason: unknown,
    nodes: readonly FieldNode[],
    above: Place,
    into: Container,
    key: Key,
    isNullable: boolean,
  ): boolean {
    const originalError = toError(reason);
    const own = (originalError as Partial<GraphQLError>).nodes;
    const { message } = originalError;
    const error = { message, nodes: own ?? nodes, path: pathOf(above, key), originalError };
    this.#errors.push(error);
    this.meter.addErrors(1);
    if (this.isLimited && this.meter.failure) throw this.meter.failure;
    if (isNullable) {
      into[key] = null;
      return true;
    }
    let place = above;
    while (!place.isNullable && place.above) place = place.above;
    // Null already: another error tells why.
    if (place.into[place.key] === null) this.#errors.pop();
    else this.#nulled.push({ path: pathOf(place.above, place.key), error });
    place.into[place.key] = null;
    return false;
  }

  /** The errors but those below what another error has made null. */
  #listErrors(): readonly FieldError[] {
    const isBelow = (path: FieldError['path'], nulled: FieldError['path']) =>
      path.length > nulled.length && nulled.every((key, index) => key === path[index]);
    return this.#errors.filter((error) =>
      this.#nulled.every((nulled) => nulled.error === error || !isBelow(error.path, nulled.path)),
    );
  }
}

const toError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error(`Unexpected error value: ${typeof reason}`);

/** Whether an object is still part of the response. */
function isAttached(place: Place, object: Container): boolean {
  let child = object;
  for (let at: Place | null = place; at !== null; at = at.above) {
    if (at.into[at.key] !== child) return false;
    child = at.into;
  }
  return true;
}

/** The path of a field or an item. The place of the root is not part of it. */
function pathOf(above: Place | null, key: Key): FieldError['path'] {
  if (above === null) return [];
  const path = [key];
  for (let place = above; place.above !== null; place = place.above) path.push(place.key);
  return path.reverse();
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
