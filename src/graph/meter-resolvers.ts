import {
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isIntrospectionType,
  isLeafType,
  isObjectType,
} from 'graphql';
import type { Context } from './context.ts';
import { getFieldShape, getLeafKind, type LeafKind } from './response-shape.ts';
import { addValueSize, countLeafBytes } from './response-size.ts';

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
    return this.#promise.then((value): A | B | PromiseLike<A | B> => {
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
    }, onError);
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
