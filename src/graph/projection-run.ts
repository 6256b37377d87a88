import { type FieldNode, type GraphQLError, type GraphQLField, getArgumentValues } from 'graphql';
import { getOrCompute } from '../runtime/memo.ts';
import type { ResponseMeter } from './response-meter.ts';
import type { FieldInfo } from './selection.ts';

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

/** Why a field is null. Not a `GraphQLError`, because graphql-js computes the locations of each by searching the document. */
export interface FieldError extends Pick<GraphQLError, 'message' | 'nodes' | 'path' | 'originalError'> {
  readonly path: readonly (string | number)[];
}

type Variables = Readonly<Record<string, unknown>>;
export type Container = Record<string | number, unknown>;
export type Key = string | number;

/** The place of an object or list in the response: `container[key]`. `parent` is the place of `container`; null at the root. */
export class Place {
  readonly parent: Place | null;
  readonly container: Container;
  readonly key: Key;
  readonly isNullable: boolean;

  constructor(parent: Place | null, container: Container, key: Key, isNullable: boolean) {
    this.parent = parent;
    this.container = container;
    this.key = key;
    this.isNullable = isNullable;
  }
}

/**
 * Writes a value, with the fields selected below it, to `container[key]`. `parent` is the place of `container`. Returns false if
 * that place has become null, because the value is missing or failed and must not be null.
 */
export type Write = (run: Run, value: unknown, parent: Place, container: Container, key: Key) => boolean;

export type FieldResolver = (source: unknown, args: Variables, context: unknown, info: FieldInfo) => unknown;

/** Extensions of a field with a resolver. If they yield a value, it is written at once, and the resolver is not called. */
export interface ProjectionExtensions {
  /** Whether the source may have the value as a property with the field's name. */
  readonly isOnSource?: boolean;
  /** Reads the value from the source. Neither throws nor calls an upstream. */
  readonly readFromSource?: FieldResolver;
}

/** A field of an object of the response. */
export interface PlannedField {
  readonly key: string;
  readonly name: string;
  readonly nodes: readonly FieldNode[];
  readonly definition: GraphQLField<unknown, unknown>;
  readonly resolve: FieldResolver | undefined;
  readonly isOnSource: boolean;
  readonly readFromSource: ProjectionExtensions['readFromSource'];
  /** The same object for all rows. */
  readonly info: FieldInfo;
  /** The arguments if they are equal for all executions; null if they depend on variables or are invalid. */
  readonly constantArguments: Readonly<Record<string, unknown>> | null;
  readonly write: Write;
}

/** A field whose resolver has not been called yet. */
export class PendingField {
  readonly field: PlannedField;
  readonly source: unknown;
  readonly parent: Place;
  readonly container: Container;

  constructor(field: PlannedField, source: unknown, parent: Place, container: Container) {
    this.field = field;
    this.source = source;
    this.parent = parent;
    this.container = container;
  }
}

// The number of values that a long operation writes in one turn. Each takes up to 10 µs, including its selected fields.
const maxWritesPerTurn = 1_000;

/** One execution of a projection. */
export class Run {
  readonly pendingFields: PendingField[] = [];
  readonly context: unknown;
  readonly meter: ResponseMeter;
  /** Whether exceeding a limit ends the execution. False for mutations: they have taken effect, so their result is returned. */
  readonly isLimited: boolean;
  readonly #variables: Variables;
  readonly #errors: FieldError[] = [];
  /** Objects and lists that became null because of an error below them: their paths, as JSON, and the error. */
  readonly #nulled = new Map<string, FieldError>();
  readonly #arguments = new Map<PlannedField, Readonly<Record<string, unknown>>>();
  /** The number of promises that are not settled yet. */
  #waiting = 0;
  #onSettled: (() => void) | null = null;
  #onFailed: ((reason: unknown) => void) | null = null;
  /** Writes of settled values that wait for the next turn of the execution. */
  #queuedWrites: (() => void)[] = [];
  #isTakingTurns = false;

  constructor({ context, variables, meter }: ProjectionOptions, isMutation: boolean) {
    this.context = context;
    this.#variables = variables;
    this.meter = meter;
    this.isLimited = !isMutation;
  }

  /** Runs the steps, which fill the root object, in sequence. A step ends when all fields below it are written. */
  async execute(data: Container, steps: readonly ((place: Place) => void)[]): Promise<ProjectedResult> {
    const result: Container = { data };
    const place = new Place(null, result, 'data', true);
    for (const step of steps) {
      // A non-nullable field of a mutation has failed, so the next fields are not executed.
      if (result.data === null) break;
      step(place);
      this.#resolvePending();
      if (this.#waiting > 0)
        await new Promise<void>((resolve, reject) => {
          this.#onSettled = resolve;
          this.#onFailed = reject;
        });
    }
    // Checks the values that were written after the last check.
    if (this.isLimited) this.meter.assertWithinLimits();
    return { data: result.data as ProjectedResult['data'], errors: this.#listErrors() };
  }

  #resolvePending(): void {
    const { pendingFields } = this;
    // The list grows: synchronous resolvers add fields of the next level.
    for (let index = 0; index < pendingFields.length; index++) {
      const { field, source, parent, container } = pendingFields[index] as PendingField;
      if (this.#nulled.size > 0 && !isAttached(parent, container)) continue;
      field.write(this, this.#resolve(field, source), parent, container, field.key);
    }
    pendingFields.length = 0;
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
    return getOrCompute(this.#arguments, field, () =>
      getArgumentValues(field.definition, field.nodes[0] as FieldNode, this.#variables),
    );
  }

  /** Writes the value of a promise, or its error, when it settles. */
  wait(promise: PromiseLike<unknown>, write: (settled: unknown) => unknown): void {
    this.#waiting += 1;
    promise.then(
      (value) => this.#writeSettled(() => write(value)),
      (reason) => this.#writeSettled(() => write(toError(reason))),
    );
  }

  #writeSettled(write: () => void): void {
    if (this.meter.isLongWork()) {
      this.#queuedWrites.push(write);
      if (!this.#isTakingTurns) void this.#takeTurns();
    } else this.#runWrites([write]);
  }

  async #takeTurns(): Promise<void> {
    this.#isTakingTurns = true;
    while (this.#queuedWrites.length > 0) {
      await this.meter.waitForTurn();
      this.#runWrites(this.#queuedWrites.splice(0, maxWritesPerTurn));
    }
    this.#isTakingTurns = false;
  }

  #runWrites(writes: readonly (() => void)[]): void {
    try {
      for (const write of writes) write();
      this.#resolvePending();
    } catch (error) {
      this.#onFailed?.(error);
    }
    this.#waiting -= writes.length;
    if (this.#waiting === 0) this.#onSettled?.();
  }

  /** Records an error of a field, and nulls the nearest nullable place. Returns false if that is not the field itself. */
  fail(
    reason: unknown,
    nodes: readonly FieldNode[],
    parent: Place,
    container: Container,
    key: Key,
    isNullable: boolean,
  ): boolean {
    const originalError = toError(reason);
    const errorNodes = (originalError as Partial<GraphQLError>).nodes;
    const { message } = originalError;
    const error = { message, nodes: errorNodes ?? nodes, path: pathOf(parent, key), originalError };
    this.#errors.push(error);
    this.meter.addErrors(1);
    if (this.isLimited && this.meter.failure) throw this.meter.failure;
    if (isNullable) {
      container[key] = null;
      return true;
    }
    let place = parent;
    while (!place.isNullable && place.parent) place = place.parent;
    // The place is null already, because of another error.
    if (place.container[place.key] === null) this.#errors.pop();
    else this.#nulled.set(JSON.stringify(pathOf(place.parent, place.key)), error);
    place.container[place.key] = null;
    return false;
  }

  /** The errors without those below a place that another error has nulled. */
  #listErrors(): readonly FieldError[] {
    if (this.#nulled.size === 0) return this.#errors;
    return this.#errors.filter((error) =>
      error.path.every((_, length) => {
        const cause = this.#nulled.get(JSON.stringify(error.path.slice(0, length)));
        return cause === undefined || cause === error;
      }),
    );
  }
}

const toError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error(`Unexpected error value: ${typeof reason}`);

/** Whether an object is still part of the response. */
function isAttached(place: Place, object: Container): boolean {
  let child = object;
  for (let at: Place | null = place; at !== null; at = at.parent) {
    if (at.container[at.key] !== child) return false;
    child = at.container;
  }
  return true;
}

/** The path of a field or an item, without the key `data` of the root. */
function pathOf(parent: Place | null, key: Key): FieldError['path'] {
  if (parent === null) return [];
  const path = [key];
  for (let place = parent; place.parent !== null; place = place.parent) path.push(place.key);
  return path.reverse();
}
