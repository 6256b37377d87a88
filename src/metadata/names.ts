import { type EntitySet, type EntityType, entityType, type Model, rowOwners } from './csdl/model.ts';
import { pluralOf, singularOf, toCamelCase, toNoun, toPascalCase, withArticle } from './words.ts';

/** Gives names, each once. */
export interface NameList {
  /** The name, or where it is taken the name with the lowest number that makes it another. */
  take(name: string): string;
  has(name: string): boolean;
}

/** `isTaken` tells of names beside those that were given. */
export function createNameList(isTaken: (name: string) => boolean): NameList {
  const given = new Set<string>();
  const has = (name: string) => given.has(name) || isTaken(name);
  return {
    has,
    take(name) {
      let free = name;
      // `name2` reads better than `name_2`, which GraphQL's conventions of names exclude.
      for (let number = 2; has(free); number += 1)
        free = /\d$/.test(name) ? `${name}N${number}` : `${name}${number}`;
      given.add(free);
      return free;
    },
  };
}

/** Types of every graph, whatever its record types are. */
const ownTypes = new Set(
  `Query Mutation Subscription Company Node PageInfo File UserError Boolean Int Float String ID UUID Date DateTime Decimal JSON
   SafeInt RecordType ChangedRecord RecordChange Upstream Record Entity Service Any`.split(/\s+/),
);

// Types that derive from others end like this: `OrderFilter` is the filter of orders.
const derived = /(?:Connection|Edge|Filter|Sort|Field|Input|Patch|Payload|Reference|Raw)$/;

// A field would hide these members of every object.
const membersOfObjects = Object.getOwnPropertyNames(Object.prototype);

const ownFieldsOfCompany = new Set([
  ...`id nodeId name displayName systemVersion timestamp businessProfileId systemCreatedAt systemCreatedBy systemModifiedAt
   systemModifiedBy homeCurrencyCode`.split(/\s+/),
  ...membersOfObjects,
]);

/** What every row has beside its columns. */
export const ownFieldsOfRows: ReadonlySet<string> = new Set([
  ...['companyId', 'company', 'etag', 'nodeId'],
  ...membersOfObjects,
]);

/** The same of every record. */
export const ownFieldsOfRecords: ReadonlySet<string> = new Set([
  'id',
  // Filters of records join conditions by them.
  ...['and', 'or', 'not'],
  // Beside `companyId` they would name the same company, which is the one of the graph.
  ...['companyNumber', 'companyCode', 'companyNo'],
  ...ownFieldsOfRows,
]);

/** What an entity set is called in the graph. */
export interface TypeNames {
  readonly type: string;
  /** The fields of `Company`. */
  readonly one: string;
  readonly many: string;
  /** `purchase order` and `purchase orders`, in sentences. */
  readonly noun: string;
  readonly nouns: string;
  readonly withArticle: string;
}

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

/** The enum of a field: `PurchaseOrderLine` and `lineType` are `PurchaseOrderLineType`. */
export function toEnumName(type: string, field: string): string {
  const name = toPascalCase(field);
  const last = /[A-Z][a-z0-9]*$/.exec(type)?.[0] ?? '';
  const isRepeated = last !== '' && name !== last && name.startsWith(last);
  const joined = `${type}${isRepeated ? name.slice(last.length) : name}`;
  return derived.test(joined) ? `${joined}Choice` : joined;
}

export function nameType(
  model: Model,
  set: EntitySet,
  route: string,
  taken: { readonly types: ReadonlySet<string>; readonly fieldsOfCompany: ReadonlySet<string> },
): TypeNames {
  const single = singleName(model, set);
  // Beside the record that it belongs to, a row has this name; alone, it is another type.
  const isRow = rowOwners(model, set.type).length > 0;
  const base = toTypeName(single);
  const own = isRow ? `${base}Record` : base;
  const group = route.split('/')[1] ?? '';
  const isPrefixed = taken.types.has(own) && group !== '';
  const type = createNameList((name) => taken.types.has(name)).take(
    isPrefixed ? `${toPascalCase(group)}${own}` : own,
  );
  // So have its mutations: `updateSalesOrderLines` is one of orders.
  const isOther = isRow || toPascalCase(single) !== base;
  const many = manyName(set, single);
  const fields = createNameList((name) => taken.fieldsOfCompany.has(name) || ownFieldsOfCompany.has(name));
  const toField = (name: string) => {
    const field = toCamelCase(name, 'record');
    return fields.take(
      isPrefixed ? `${toCamelCase(group, 'group')}${field.charAt(0).toUpperCase()}${field.slice(1)}` : field,
    );
  };
  const noun = toNoun(single);
  return {
    type,
    one: toField(isOther ? `${single}Record` : single),
    many: toField(isRow ? `${single}Records` : many),
    noun,
    nouns: toNoun(many),
    withArticle: withArticle(noun),
  };
}

/** The entity set where it is in the plural, or else a plural of the single name. */
function manyName(set: EntitySet, single: string): string {
  const isPlural =
    singularOf(set.name) !== null && toCamelCase(set.name, 'record') !== toCamelCase(single, 'record');
  if (isPlural) return set.name;
  return pluralOf(single) ?? `${single}${/[a-z]$/.test(single) ? 'Records' : '_Records'}`;
}
