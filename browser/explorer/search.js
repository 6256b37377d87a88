/** Searches the names and descriptions of a schema. */
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, isUnionType } from './libraries.js';

/**
 * @import { GraphQLEnumValue, GraphQLField, GraphQLInputField, GraphQLNamedType, GraphQLSchema } from 'graphql'
 * @typedef {{ type: string, member: string | null, kind: string, of: string | null, description: string }} Found
 *   `member` is a field or an enum value; null for the type itself. `of` is the type of a field.
 */

/**
 * Finds what has all words of a text in its name, its description or the name of its type: the best match first, then the
 * shortest name.
 *
 * @param {GraphQLSchema} schema
 * @param {string} text
 * @returns {readonly Found[]}
 */
export function searchSchema(schema, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap(listFound)
    .map((found) => ({ found, name: found.member ?? found.type, score: scoreOf(found, words) }))
    .filter(({ score }) => Number.isFinite(score))
    .sort(
      (one, other) =>
        other.score - one.score ||
        one.name.length - other.name.length ||
        Number(one.found.member !== null) - Number(other.found.member !== null),
    )
    .map(({ found }) => found);
}

/** @param {GraphQLNamedType} type @returns {Found[]} */
function listFound(type) {
  const kind = isEnumType(type) ? 'enum value' : isInputObjectType(type) ? 'input field' : 'field';
  return [
    { type: type.name, member: null, kind: kindOf(type), of: null, description: type.description ?? '' },
    ...membersOf(type).map((member) => ({
      type: type.name,
      member: member.name,
      kind,
      of: 'type' in member ? String(member.type) : null,
      description: member.description ?? '',
    })),
  ];
}

/**
 * The fields of a type, or the values of an enum.
 *
 * @param {GraphQLNamedType} type
 * @returns {readonly (GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLEnumValue)[]}
 */
export function membersOf(type) {
  if (isEnumType(type)) return type.getValues();
  return 'getFields' in type ? Object.values(type.getFields()) : [];
}

/**
 * -Infinity without a match. Names count more than descriptions, and a word more than its singular. Words that are in the name of the
 * type alone are no match: they would find each of its fields.
 *
 * @param {Found} found
 * @param {readonly string[]} words
 */
function scoreOf({ type, member, kind, description }, words) {
  const name = (member ?? type).toLowerCase();
  const owner = type.toLowerCase();
  const text = description.toLowerCase();
  const scores = words.map((word) => {
    const singular = word.length > 3 ? word.replace(/s$/, '') : word;
    if (name.includes(singular)) return { isOwn: true, score: name.includes(word) ? 6 : 5 };
    if (owner.includes(singular)) return { isOwn: text.includes(singular), score: 5 };
    return { isOwn: true, score: text.includes(singular) ? 1 : Number.NEGATIVE_INFINITY };
  });
  if (!scores.some(({ isOwn }) => isOwn)) return Number.NEGATIVE_INFINITY;
  const total = scores.reduce((sum, { score }) => sum + score, 0);
  // Outputs come before inputs and before types that only hold a result.
  const isSecondary = kind.startsWith('input') || /(Payload|Result|Edge|Connection)$/.test(type);
  return total - (isSecondary ? 2 : 0);
}

/** @param {GraphQLNamedType} type */
export function kindOf(type) {
  if (isObjectType(type)) return 'object';
  if (isInterfaceType(type)) return 'interface';
  if (isUnionType(type)) return 'union';
  if (isEnumType(type)) return 'enum';
  return isInputObjectType(type) ? 'input' : 'scalar';
}
