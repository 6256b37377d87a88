import type { RecordTypeFile } from '../business/record-files/record-file.ts';
import { kindOf } from './column-kinds.ts';
import { toColumns } from './columns.ts';
import {
  type EntityType,
  entityType,
  keyOf,
  lineage,
  navigationsOf,
  type Property,
  propertiesOf,
  targetSet,
} from './csdl/model.ts';
import { type Draft, theseAre } from './drafting.ts';
import { ownFieldsOfRows } from './field-names.ts';
import { navigationsTo, toRelations } from './relations.ts';
import { rowOwners } from './row-owners.ts';
import { singleName, singleNameOfType, toTypeName } from './type-names.ts';
import { toCamelCase, toNoun, toSentence } from './words.ts';
import { writesOf } from './writable-columns.ts';

type Rows = NonNullable<RecordTypeFile['rows']>;
type Choices = NonNullable<RecordTypeFile['enums']>;

/** The rows that come with a record, and the enums of their columns. */
export function toRows(
  draft: Draft,
  type: EntityType,
  { takeName, hasCurrencyCode }: { takeName(name: string): string; hasCurrencyCode: boolean },
): { readonly rows: Rows; readonly enums: Choices; readonly navigations: readonly string[] } {
  const rows: Record<string, Rows[string]> = {};
  const enums: Record<string, Choices[string]> = {};
  const owners = lineage(draft.model, type);
  const navigations = navigationsOf(draft.model, type).filter((navigation) =>
    rowOwners(draft.model, navigation.type).some(
      (each) => each.navigation === navigation && owners.includes(each.owner),
    ),
  );
  for (const navigation of navigations) {
    const row = toRow(draft, type, entityType(draft.model, navigation.type), {
      navigation: navigation.name,
      hasCurrencyCode,
    });
    rows[takeName(toCamelCase(navigation.name, 'rows'))] = row.rows;
    Object.assign(enums, row.enums);
  }
  return { rows, enums, navigations: navigations.map(({ name }) => name) };
}

function toRow(
  draft: Draft,
  owner: EntityType,
  rowType: EntityType,
  { navigation, hasCurrencyCode }: { readonly navigation: string; readonly hasCurrencyCode: boolean },
): { readonly rows: Rows[string]; readonly enums: Choices } {
  const { model, names } = draft;
  const set =
    [...model.entitySets.values()].find((each) => each.type === rowType.fullName && !each.isSingleton) ??
    null;
  const single = set ? singleName(model, set) : singleNameOfType(rowType);
  const isShared = rowOwners(model, rowType.fullName).length > 1;
  const type = draft.takeTypeName(`${isShared ? names.type : ''}${toTypeName(single)}`);
  const noun = toNoun(single);
  const properties = propertiesOf(model, rowType);
  const hasOwnCurrency = properties.some(({ name }) => name === 'currencyCode');
  const showsCurrency =
    hasCurrencyCode && !hasOwnCurrency && properties.some((each) => isDecimal(draft, each));
  const ownerWrites = writesOf(draft.set) ?? [];
  const isCreated =
    ownerWrites.includes('create') && (set === null || writesOf(set)?.includes('create') === true);
  const columns = toColumns(draft, {
    properties,
    key: keyOf(model, rowType),
    isId: () => false,
    ownFields: new Set([
      ...ownFieldsOfRows,
      ...(properties.some((property) => isGuidId(draft, property)) ? [] : ['id']),
      ...(showsCurrency ? ['currencyCode'] : []),
    ]),
    set,
    writes: isCreated ? ['create'] : [],
    type,
    isListed: false,
    noun,
    owner: showsCurrency ? names.noun : noun,
    hasCurrencyCode: hasCurrencyCode || hasOwnCurrency,
    captions: new Map(),
    memberCaptions: new Map(),
  });
  const relations = toRelations(draft, {
    type: rowType,
    set: set ?? targetSet(model, draft.set, { ...navigationNamed(draft, owner, navigation) }),
    columns,
    skipped: navigationsTo(draft, rowType, owner),
  });
  const others = navigationsOf(model, rowType).flatMap(({ isCollection, name }) =>
    isCollection ? [name] : [],
  );
  if (others.length > 0) draft.note(`${type}: of rows, ${theseAre('list', others)} left out.`);
  return {
    enums: columns.enums,
    rows: {
      type,
      description: `The ${toNoun(navigation)} of the ${names.noun}, in the upstream's order.`,
      rowDescription: toSentence(`one ${noun} of ${names.withArticle}`),
      navigation,
      fields: columns.fields,
      ...(showsCurrency && {
        ownerFields: {
          currencyCode: `Code of the currency of its amounts, which is that of the ${names.noun}.`,
        },
      }),
      ...(Object.keys(relations).length > 0 && { relations }),
    },
  };
}

function isDecimal({ model }: Draft, property: Property): boolean {
  const kind = kindOf(model, property);
  return kind !== 'stream' && kind.kind === 'decimal';
}

/** A field `id` is a GUID, of rows as of records. */
function isGuidId({ model }: Draft, property: Property): boolean {
  const kind = kindOf(model, property);
  return property.name === 'id' && kind !== 'stream' && kind.kind === 'uuid';
}

function navigationNamed({ model }: Draft, owner: EntityType, name: string) {
  const found = navigationsOf(model, owner).find((each) => each.name === name);
  if (!found) throw new Error(`${owner.name} has no navigation ${name}`);
  return found;
}
