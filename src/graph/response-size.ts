import type { GraphQLAbstractType, GraphQLResolveInfo } from 'graphql';
import type { FieldShape, LeafField, LeafKind } from './response-shape.ts';

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
export function countLeafBytes(value: unknown, kind: LeafKind): number {
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
export function addValueSize(
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
