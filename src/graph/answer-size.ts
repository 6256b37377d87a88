import { type GraphQLResolveInfo, isAbstractType } from 'graphql';
import type { LeafKind, Place } from './shown.ts';

/** What something takes in an answer. */
export interface Size {
  rows: number;
  /** About as many bytes as its JSON has, and never less than half of them. */
  bytes: number;
}

/** The longest number that is not written as text has 24 characters, most are shorter. */
const bytesOfNumber = 12;
const bytesOfBoolean = 5;
const bytesOfNull = 4;

// Characters that JSON writes as they are, in a byte each.
const isPlain = /^[ !#-[\]-~]*$/;
const bytesOfText = (text: string): number =>
  isPlain.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));

/** How many bytes a value of a scalar or an enum has, or a list of them. */
export function sizeOfLeaf(value: unknown, kind: LeafKind): number {
  if (value === null || value === undefined) return bytesOfNull;
  if (typeof value === 'string') return kind === 'text' ? bytesOfText(value) : value.length + 2;
  if (typeof value === 'number') return bytesOfNumber;
  if (typeof value === 'boolean') return bytesOfBoolean;
  if (!Array.isArray(value)) return Buffer.byteLength(JSON.stringify(value) ?? 'null');
  let bytes = '[]'.length;
  for (const entry of value) bytes += 1 + sizeOfLeaf(entry, kind);
  return bytes;
}

/** Adds what a value takes that is shown in this place: an object, null, or a list of them. */
export function addSize(
  size: Size,
  value: unknown,
  place: Place,
  info: GraphQLResolveInfo,
  context: unknown,
): void {
  if (value === null || typeof value !== 'object' || value instanceof Error) {
    size.bytes += bytesOfNull;
  } else if (Array.isArray(value)) {
    size.bytes += '[]'.length + value.length;
    for (const entry of value) addSize(size, entry, place, info, context);
  } else {
    addObject(size, value as Readonly<Record<string, unknown>>, place, info, context);
  }
}

function addObject(
  size: Size,
  value: Readonly<Record<string, unknown>>,
  place: Place,
  info: GraphQLResolveInfo,
  context: unknown,
): void {
  const shown = place.shown(typeNameOf(value, place, info, context));
  if (!shown) return;
  if (place.isCounted) size.rows += 1;
  if (shown.isConnection) size.rows += (value.nodes as readonly unknown[]).length;
  size.bytes += shown.fixed;
  for (const { name, times, kind } of shown.leaves)
    size.bytes += times * (kind === 'cursor' ? Number(value.cursorBytes) : sizeOfLeaf(value[name], kind));
  for (const { name, place: inner } of shown.nested) addSize(size, value[name], inner, info, context);
}

function typeNameOf(
  value: Readonly<Record<string, unknown>>,
  { type }: Place,
  info: GraphQLResolveInfo,
  context: unknown,
): string {
  if (!isAbstractType(type)) return type.name;
  const name = value.__typename ?? type.resolveType?.(value, context, info, type);
  return typeof name === 'string' ? name : '';
}
