import {
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isIntrospectionType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { addSize, sizeOfLeaf } from './answer-size.ts';
import type { Context } from './context.ts';
import { kindOf, type LeafKind, placeOf } from './shown.ts';

type Resolve = GraphQLFieldResolver<unknown, Context>;
type Measure = (value: unknown, context: Context, info: GraphQLResolveInfo) => void;

/**
 * Has every resolver of a schema charge what it hands out to the meter of its operation, before any of it is looked at.
 * What has no resolver is part of the object above and charged with that, so nothing is shown that was not charged.
 */
export function meterResolvers(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    const measure = type === schema.getMutationType() ? measureChange : measureObject;
    for (const field of Object.values(type.getFields())) {
      if (!field.resolve || field.name === '_service') continue;
      const of = getNamedType(field.type);
      field.resolve = metered(
        field.resolve as Resolve,
        isLeafType(of) ? measureLeaf(kindOf(type, field.name, of)) : measure,
      ) as GraphQLFieldResolver<unknown, unknown>;
    }
  }
}

function metered(resolve: Resolve, measure: Measure): Resolve {
  const handOut = (value: unknown, context: Context, info: GraphQLResolveInfo): unknown => {
    if (!Array.isArray(value) || !value.some(isPromise)) {
      measure(value, context, info);
      return value;
    }
    return value.map((entry) =>
      isPromise(entry) ? later(entry, context, info) : handOut(entry, context, info),
    );
  };
  const later = (promise: Promise<unknown>, context: Context, info: GraphQLResolveInfo) =>
    promise.then((value) => {
      const handed = handOut(value, context, info);
      const round = context.meter.round();
      return round ? round.then(() => handed) : handed;
    });
  return (source, args, context, info) => {
    const value = resolve(source, args, context, info);
    return isPromise(value) ? later(value, context, info) : handOut(value, context, info);
  };
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as Promise<unknown> | null | undefined)?.then === 'function';

const measureObject: Measure = (value, context, info) => {
  const size = { rows: 0, bytes: 0 };
  addSize(size, value, placeOf(info), info, context);
  context.meter.charge(size.rows, size.bytes);
};

// A change has been made by then: its answer has to say so.
const measureChange: Measure = (value, context, info) => {
  const size = { rows: 0, bytes: 0 };
  addSize(size, value, placeOf(info), info, context);
  context.meter.count(size.rows, size.bytes);
};

const measureLeaf =
  (kind: LeafKind): Measure =>
  (value, { meter }) =>
    meter.charge(0, sizeOfLeaf(value, kind));
