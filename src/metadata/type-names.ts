import { type EntitySet, type EntityType, entityType, type Model } from './csdl/model.ts';
import { createNameList, type NameList } from './name-list.ts';
import { rowOwners } from './row-owners.ts';
import { pluralOf, singularOf, toCamelCase, toNoun, toPascalCase, withArticle } from './words.ts';

/** What an entity set is called in the graph. */
export interface TypeNames {
  readonly type: string;
  readonly one: string;
  readonly many: string;
  /** `purchase order` and `purchase orders`, in sentences. */
  readonly noun: string;
  readonly nouns: string;
  readonly withArticle: string;
}

/** What the graph has already. */
export interface TakenNames {
  readonly types: ReadonlySet<string>;
  readonly fieldsOfCompany: ReadonlySet<string>;
}

/** Types of every graph, whatever its record types are. */
const ownTypes = new Set(
  `Query Mutation Subscription Company Node PageInfo File UserError Boolean Int Float String ID UUID Date DateTime Decimal JSON
   SafeInt RecordType ChangedRecord RecordChange Upstream Record Entity Service Any`.split(/\s+/),
);

// Types that derive from others end like this: `OrderFilter` is the filter of orders.
const derived = /(?:Connection|Edge|Filter|Sort|Field|Input|Patch|Payload|Reference|Raw)$/;

const ownFieldsOfCompany = new Set([
  ...`id nodeId name displayName systemVersion timestamp businessProfileId systemCreatedAt systemCreatedBy systemModifiedAt
   systemModifiedBy homeCurrencyCode`.split(/\s+/),
  // A field would hide these members of every object.
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/** The name of one record: that of its type, or where a type is named like its set the singular of that. */
export function singleName(model: Model, set: EntitySet): string {
  const type = entityType(model, set.type);
  const isShared = [...model.entitySets.values()].some(
    (each) => each !== set && !each.isSingleton && each.type === set.type,
  );
  const isNamedLikeSet = type.name.toLowerCase() === set.name.toLowerCase();
  return isShared || isNamedLikeSet ? (singularOf(set.name) ?? set.name) : type.name;
}

/** The same for a type without an entity set. */
export const singleNameOfType = ({ name }: EntityType): string => singularOf(name) ?? name;

/** A type name that neither the graph nor its derived types have; the same whatever else there is. */
export function toTypeName(name: string): string {
  const type = toPascalCase(name);
  return ownTypes.has(type) || derived.test(type) ? `${type}Record` : type;
}

/** The name of an enum: one that ends like a derived type, such as `OrderSort`, is of a column `sort`. */
export const toEnumName = (name: string): string => (derived.test(name) ? `${name}Choice` : name);

export function nameTypes(model: Model, set: EntitySet, route: string, taken: TakenNames): TypeNames {
  const single = singleName(model, set);
  // Beside the record that it belongs to, a row has this name; alone, it is another type.
  const isRow = rowOwners(model, set.type).length > 0;
  const group = route.includes('/') ? (route.split('/')[1] ?? '') : '';
  const base = toTypeName(single);
  const own = isRow ? `${base}Record` : base;
  const prefixed = `${toPascalCase(group)}${own}`;
  const types = createNameList((name) => taken.types.has(name));
  const type = types.has(own) && group !== '' ? types.take(prefixed) : types.take(own);
  const isPrefixed = type === prefixed && group !== '';
  const fields = createNameList((name) => taken.fieldsOfCompany.has(name) || ownFieldsOfCompany.has(name));
  // So have its mutations: `updateSalesOrderLines` is one of orders.
  const isOther = isRow || toPascalCase(single) !== base;
  const prefix = isPrefixed ? toCamelCase(group, 'group') : '';
  const [one, many] = fieldNames(
    [isOther ? `${single}Record` : single, isRow ? `${single}Records` : manyName(set, single)],
    prefix,
    fields,
  );
  const noun = toNoun(single);
  return {
    type,
    one,
    many,
    noun,
    nouns: toNoun(manyName(set, single)),
    withArticle: withArticle(noun),
  };
}

/** The entity set where it is in the plural, or else a plural of the single name. */
function manyName(set: EntitySet, single: string): string {
  const isPlural =
    singularOf(set.name) !== null && toCamelCase(set.name, 'record') !== toCamelCase(single, 'record');
  if (isPlural || set.name.toLowerCase() === 'people') return set.name;
  return pluralOf(single) ?? `${single}${/[a-z]$/.test(single) ? 'Records' : '_Records'}`;
}

function fieldNames(
  [single, plural]: readonly [string, string],
  group: string,
  fields: NameList,
): readonly [one: string, many: string] {
  const prefix = (name: string) =>
    group === '' ? name : `${group}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const one = fields.take(prefix(toCamelCase(single, 'record')));
  return [one, fields.take(prefix(toCamelCase(plural, 'records')))];
}
