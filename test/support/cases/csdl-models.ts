import fc from 'fast-check';
import { toPascalCase } from '../../../src/adding/words.ts';

/*
 * Random models of OData 4, as XML. What a model is made of comes from the names and types that real ones have, and from
 * those that GraphQL cannot say, so that most of the rules of src/adding meet.
 */

const names = fc.oneof(
  fc.constantFrom(
    ...`number No_ code displayName Order_Details OrderID orderId ID Id id type status companyId company etag nodeId
        Straße Цена _x _ __typename Query Mutation String File Company Node true null class currencyCode unitPrice taxPercent
        quantity exchangeRate iban parentId parentType lastModifiedDateTime addressLine1 picture dimensionSetLines vendorLines
        A a AB aB x2 x22 Größe prix_unitaire dateFilter_FilterOnly purchaseOrders companies People
        information status2 Order Orders SalesDocument Vendor CustomerStatus aBC aBc a_b1 first Запись then vendorId
        vendorNumber vendor`.split(/\s+/),
  ),
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,11}$/),
);

const primitives = fc.constantFrom(
  ...'String String String Guid Boolean Int16 Int32 Int64 Byte Decimal Double Single Date DateTimeOffset TimeOfDay Duration Binary Stream GeographyPoint'
    .split(' ')
    .map((name) => `Edm.${name}`),
);

const words = fc.constantFrom(
  '_x0020_',
  'Open',
  'open',
  'In_x0020_Review',
  'None',
  'UNRECOGNIZED',
  '1',
  '0',
  'Größe',
  '_x002B_',
  'G_x002F_L',
  'Да',
  'a_b',
  'A_B',
);

const propertyModel = fc.record({
  name: names,
  type: fc.oneof(
    { weight: 6, arbitrary: primitives },
    { weight: 2, arbitrary: fc.nat(3).map((at) => `enum${at}`) },
    { weight: 1, arbitrary: fc.nat(1).map((at) => `complex${at}`) },
    { weight: 1, arbitrary: fc.constant('Foreign.Type') },
  ),
  isCollection: fc.boolean().map((is) => is),
  isRare: fc.nat(5),
  maxLength: fc.option(fc.constantFrom('10', '20', '35', '100', 'max')),
  isNullable: fc.boolean(),
  annotation: fc.option(fc.constantFrom('Computed', 'Immutable', 'IsLanguageDependent', 'Description')),
});

const navigationModel = fc.record({
  name: names,
  target: fc.nat(20),
  isForeign: fc.nat(9).map((at) => at === 0),
  isCollection: fc.boolean(),
  isContained: fc.boolean(),
  constraint: fc.nat(20),
  hasConstraint: fc.boolean(),
});

const entityModel = fc.record({
  name: names,
  key: fc.constant<readonly { readonly name: string; readonly type: string }[]>([
    { name: 'id', type: 'Edm.Guid' },
  ]),
  properties: fc.array(propertyModel, { maxLength: 8 }),
  navigations: fc.array(navigationModel, { maxLength: 4 }),
  isOpen: fc.boolean(),
  hasStream: fc.boolean(),
  hasSet: fc.boolean(),
  setName: names,
  restrictions: fc.option(fc.tuple(fc.boolean(), fc.boolean(), fc.boolean())),
});

export interface CsdlModel {
  readonly csdl: string;
  readonly entitySets: readonly string[];
}

/** Valid models with at least one entity set. */
export const csdlModels: fc.Arbitrary<CsdlModel> = fc
  .record({
    namespace: fc.constantFrom('Microsoft.NAV', 'Contoso.Model', 'A'),
    enums: fc.array(fc.record({ members: fc.uniqueArray(words, { maxLength: 6 }), isFlags: fc.nat(4) }), {
      minLength: 4,
      maxLength: 4,
    }),
    entities: fc.array(entityModel, { minLength: 1, maxLength: 6 }),
  })
  .map(({ namespace, enums, entities: all }) => {
    const entities = distinctBy(all, ({ name }) => toPascalCase(name));
    const sets = distinctBy(
      entities.filter(({ hasSet }, at) => hasSet || at === 0),
      ({ setName }) => toPascalCase(setName),
    ).map((entity) => ({ name: entity.setName, entity }));
    const body = [
      ...enums.map(
        ({ members, isFlags }, at) =>
          `<EnumType Name="enum${at}"${isFlags === 0 ? ' IsFlags="true"' : ''}>${members.map((name) => `<Member Name="${name}"/>`).join('')}</EnumType>`,
      ),
      ...[0, 1].map(
        (at) => `<ComplexType Name="complex${at}"><Property Name="part" Type="Edm.String"/></ComplexType>`,
      ),
      ...entities.map((entity) => toEntity(entity, entities, namespace)),
      `<EntityContainer Name="Container">${sets.map(({ name, entity }) => toSet(name, `${namespace}.${entity.name}`, entity.restrictions)).join('\n')}</EntityContainer>`,
    ].join('\n');
    return {
      csdl: `<?xml version="1.0" encoding="utf-8"?>
<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">
<edmx:Reference Uri="foreign.xml"><edmx:Include Namespace="Foreign"/></edmx:Reference>
<edmx:DataServices>
<Schema Namespace="${namespace}" Alias="Self" xmlns="http://docs.oasis-open.org/odata/ns/edm">
${body}
</Schema>
</edmx:DataServices>
</edmx:Edmx>`,
      entitySets: sets.map(({ name }) => name),
    };
  });

type Entity = typeof entityModel extends fc.Arbitrary<infer E> ? E : never;

const distinctBy = <T>(all: readonly T[], keyOf: (one: T) => string): readonly T[] => [
  ...new Map(all.map((one) => [keyOf(one), one])).values(),
];

function toEntity(entity: Entity, entities: readonly Entity[], namespace: string): string {
  const { key } = entity;
  const keyNames = new Set(key.map(({ name }) => name));
  const properties = distinctBy(entity.properties, ({ name }) => name).filter(
    ({ name }) => !keyNames.has(name),
  );
  const used = new Set([...keyNames, ...properties.map(({ name }) => name)]);
  const navigations = distinctBy(entity.navigations, ({ name }) => name).filter(
    ({ name }) => !used.has(name),
  );
  const columns = [...used];
  return `<EntityType Name="${entity.name}"${entity.isOpen ? ' OpenType="true"' : ''}${entity.hasStream ? ' HasStream="true"' : ''}>
${key.length > 0 ? `<Key>${key.map(({ name }) => `<PropertyRef Name="${name}"/>`).join('')}</Key>` : ''}
${key.map(({ name, type }) => `<Property Name="${name}" Type="${type}" Nullable="false"/>`).join('\n')}
${properties.map((property) => toProperty(property, namespace)).join('\n')}
${navigations.map((navigation) => toNavigation(navigation, entity, entities, columns, namespace)).join('\n')}
</EntityType>`;
}

function toProperty(
  { name, type, isCollection, isRare, maxLength, isNullable, annotation }: Entity['properties'][number],
  namespace: string,
): string {
  const full = type.includes('.') ? type : `${namespace}.${type}`;
  const reference = isCollection && isRare === 0 ? `Collection(${full})` : full;
  const value =
    annotation === 'Description' ? 'String="What it is; or not &quot;quite&quot; &lt;b&gt;"' : 'Bool="true"';
  const inside = annotation === null ? '' : `<Annotation Term="Org.OData.Core.V1.${annotation}" ${value}/>`;
  return `<Property Name="${name}" Type="${reference}"${maxLength === null ? '' : ` MaxLength="${maxLength}"`}${isNullable ? '' : ' Nullable="false"'}>${inside}</Property>`;
}

function toNavigation(
  {
    name,
    target,
    isForeign,
    isCollection,
    isContained,
    constraint,
    hasConstraint,
  }: Entity['navigations'][number],
  owner: Entity,
  entities: readonly Entity[],
  columns: readonly string[],
  namespace: string,
): string {
  const other = entities[target % entities.length] as Entity;
  const type = isForeign ? 'Foreign.Type' : `${namespace}.${other.name}`;
  const column = columns[constraint % Math.max(columns.length, 1)];
  const referenced = other.key[0]?.name;
  const inside =
    hasConstraint && column !== undefined
      ? `<ReferentialConstraint Property="${column}" ReferencedProperty="${referenced}"/>`
      : '';
  // Rows of two types would be one type of the graph.
  const isRows = isContained && owner === entities[0] && other !== owner;
  return `<NavigationProperty Name="${name}" Type="${isCollection ? `Collection(${type})` : type}"${isRows ? ' ContainsTarget="true"' : ''}>${inside}</NavigationProperty>`;
}

function toSet(name: string, type: string, restrictions: Entity['restrictions']): string {
  const terms = [
    ['Insert', 'Insertable'],
    ['Update', 'Updatable'],
    ['Delete', 'Deletable'],
  ];
  const annotations = (restrictions ?? []).map((can, at) => {
    const [term, property] = terms[at] ?? [];
    return `<Annotation Term="Org.OData.Capabilities.V1.${term}Restrictions"><Record><PropertyValue Property="${property}" Bool="${can}"/></Record></Annotation>`;
  });
  return `<EntitySet Name="${name}" EntityType="${type}">${annotations.join('')}</EntitySet>`;
}
