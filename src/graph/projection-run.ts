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

/** Why a field is null. A `GraphQLError` without its locations: graphql-js would search the document for each. */
export interface FieldError extends Pick<GraphQLError, 'message' | 'nodes' | 'path' | 'originalError'> {
  readonly path: readonly (string | number)[];
}

type Variables = Readonly<Record<string, unknown>>;
export type Container = Record<string | number, unknown>;
export type Key = string | number;

/** The place of an object or list in the response: `into[key]`. The place of `into` is `above`, null for the root's. */
export class Place {
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
export type Write = (run: Run, value: unknown, above: Place, into: Container, key: Key) => boolean;

export type FieldResolver = (source: unknown, args: Variables, context: unknown, info: FieldInfo) => unknown;

/**
 * Extensions of a field that has a resolver. Where they give a value, it is written in the same pass, and the resolver is not
 * called.
 */
export interface ProjectionExtensions {
  /** Whether the source may hold the value under the field's name. */
  readonly isOnSource?: boolean;
  /** Finds the value from the source. It neither throws nor calls an upstream. */
  readonly known?: FieldResolver;
}

/** A field of an object of the response. */
export interface PlannedField {
  readonly key: string;
  readonly name: string;
  readonly nodes: readonly FieldNode[];
  readonly definition: GraphQLField<unknown, unknown>;
  readonly resolve: FieldResolver | undefined;
  readonly isOnSource: boolean;
  readonly known: ProjectionExtensions['known'];
  /** One object for all rows. */
  readonly info: FieldInfo;
  /** The arguments, where they are equal for all executions; null where they depend on variables, or are invalid. */
  readonly constantArguments: Readonly<Record<string, unknown>> | null;
  readonly write: Write;
}

/** A field whose value a resolver gives. */
export class Hole {
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

/** One execution of a projection. */
export class Run {
  readonly holes: Hole[] = [];
  readonly context: unknown;
  readonly meter: ResponseMeter;
  /** Whether a response that exceeds a limit ends the execution. A mutation has taken effect, and its result is returned. */
  readonly isLimited: boolean;
  readonly #variables: Variables;
  readonly #errors: FieldError[] = [];
  /** The paths of objects and lists that became null because of an error below them, each with this error; as JSON. */
  readonly #nulled = new Map<string, FieldError>();
  readonly #arguments = new Map<PlannedField, Readonly<Record<string, unknown>>>();
  /** How many holes wait for their values. */
  #waiting = 0;
  #onSettled: (() => void) | null = null;
  #onFailed: ((reason: unknown) => void) | null = null;
  /** What arrived while the execution waits for its turn. */
  #arrived: (() => void)[] = [];
  #hasTurn = false;

  constructor({ context, variables, meter }: ProjectionOptions, isMutation: boolean) {
    this.context = context;
    this.#variables = variables;
    this.meter = meter;
    this.isLimited = !isMutation;
  }

  /** Fills the object of the root by these steps, one after another, each with all that is selected below it. */
  async execute(data: Container, steps: readonly ((place: Place) => void)[]): Promise<ProjectedResult> {
    const result: Container = { data };
    const place = new Place(null, result, 'data', true);
    for (const step of steps) {
      // A field of a mutation that may not be null has failed: the next ones are not executed.
      if (result.data === null) break;
      step(place);
      this.#startHoles();
      if (this.#waiting > 0)
        await new Promise<void>((resolve, reject) => {
          this.#onSettled = resolve;
          this.#onFailed = reject;
        });
    }
    // What was written last.
    if (this.isLimited) this.meter.assertWithinLimits();
    return { data: result.data as ProjectedResult['data'], errors: this.#listErrors() };
  }

  #startHoles(): void {
    const { holes } = this;
    // Fields that resolve at once add holes of the next level.
    for (let index = 0; index < holes.length; index++) {
      const { field, source, above, into } = holes[index] as Hole;
      if (this.#nulled.size > 0 && !isAttached(above, into)) continue;
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
    return getOrCompute(this.#arguments, field, () =>
      getArgumentValues(field.definition, field.nodes[0] as FieldNode, this.#variables),
    );
  }

  /** Waits for a promise, and writes its value, or its error where it rejects. */
  wait(promise: PromiseLike<unknown>, write: (settled: unknown) => unknown): void {
    this.#waiting += 1;
    promise.then(
      (value) => this.#arrive(() => write(value)),
      (reason) => this.#arrive(() => write(toError(reason))),
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
    else this.#nulled.set(JSON.stringify(pathOf(place.above, place.key)), error);
    place.into[place.key] = null;
    return false;
  }

  /** The errors but those below what another error has made null. */
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
