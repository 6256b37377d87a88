import fc from 'fast-check';
import { toPascalCase } from '../../../src/adding/words.ts';

/*
 * Random models of OData 4, as XML. What a model is made of comes from the names and types that real ones have, and from
 * those that GraphQL cannot say, so that most of the rules of src/adding meet.
 */

const listed = (text: string) => fc.constantFrom(...text.split(/\s+/));

const names = fc.oneof(
  listed(
    `number No_ code displayName Order_Details OrderID orderId ID Id id type status companyId company etag nodeId
    Straße Цена _x _ __typename Query Mutation String File Company Node true null class currencyCode unitPrice iban
    parentId parentType lastModifiedDateTime picture vendorLines A a AB aB x2 x22 Größe prix_unitaire
    dateFilter_FilterOnly status2 Order Orders SalesDocument Vendor CustomerStatus a_b1 first Запись then vendorId`,
  ),
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,11}$/),
);

const types = fc.oneof(
  {
    weight: 6,
    arbitrary: listed(
      `Edm.String Edm.String Edm.Guid Edm.Boolean Edm.Int32 Edm.Int64 Edm.Byte Edm.Decimal Edm.Double Edm.Date
      Edm.DateTimeOffset Edm.TimeOfDay Edm.Duration Edm.Binary Edm.Stream Edm.GeographyPoint`,
    ),
  },
  { weight: 2, arbitrary: listed('Self.enum0 Self.enum1 Self.enum2 Self.enum3') },
  { weight: 1, arbitrary: listed('Self.complex Foreign.Type Collection(Edm.String)') },
);

const property = fc.record({
  name: names,
  type: types,
  maxLength: fc.option(listed('10 20 100 max')),
  isNullable: fc.boolean(),
  annotation: fc.option(listed('Computed Immutable IsLanguageDependent Description')),
});

const navigation = fc.record({
  name: names,
  target: fc.nat(20),
  isForeign: fc.nat(9).map((at) => at === 0),
  isCollection: fc.boolean(),
  isContained: fc.boolean(),
  constraint: fc.option(fc.nat(20)),
});

const entity = fc.record({
  name: names,
  properties: fc.array(property, { maxLength: 8 }),
  navigations: fc.array(navigation, { maxLength: 4 }),
  hasStream: fc.boolean(),
  hasSet: fc.boolean(),
  setName: names,
  restrictions: fc.option(fc.tuple(fc.boolean(), fc.boolean(), fc.boolean())),
});

const words = listed(
  '_x0020_ Open open In_x0020_Review None UNRECOGNIZED 1 0 Größe _x002B_ G_x002F_L Да a_b A_B',
);

type Entity = typeof entity extends fc.Arbitrary<infer E> ? E : never;

export interface CsdlModel {
  readonly csdl: string;
  readonly entitySets: readonly string[];
}

/** Valid models with at least one entity set. */
export const csdlModels: fc.Arbitrary<CsdlModel> = fc
  .record({
    enums: fc.array(fc.uniqueArray(words, { maxLength: 6 }), { minLength: 4, maxLength: 4 }),
    entities: fc.array(entity, { minLength: 1, maxLength: 6 }),
  })
  .map(({ enums, entities: all }) => {
    const entities = distinctBy(all, ({ name }) => toPascalCase(name));
    const withSets = entities.filter(({ hasSet }, at) => hasSet || at === 0);
    const sets = distinctBy(withSets, ({ setName }) => toPascalCase(setName));
    return {
      csdl: `<?xml version="1.0" encoding="utf-8"?>
<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">
<edmx:Reference Uri="foreign.xml"><edmx:Include Namespace="Foreign"/></edmx:Reference>
<edmx:DataServices>
<Schema Namespace="Contoso.Model" Alias="Self" xmlns="http://docs.oasis-open.org/odata/ns/edm">
${enums.map((members, at) => `<EnumType Name="enum${at}">${members.map((name) => `<Member Name="${name}"/>`).join('')}</EnumType>`).join('\n')}
<ComplexType Name="complex"><Property Name="part" Type="Edm.String"/></ComplexType>
${entities.map((one) => toEntity(one, entities)).join('\n')}
<EntityContainer Name="Container">${sets.map(toSet).join('\n')}</EntityContainer>
</Schema>
</edmx:DataServices>
</edmx:Edmx>`,
      entitySets: sets.map(({ setName }) => setName),
    };
  });

const distinctBy = <T>(all: readonly T[], keyOf: (one: T) => string): readonly T[] => [
  ...new Map(all.map((one) => [keyOf(one), one])).values(),
];

function toEntity(one: Entity, entities: readonly Entity[]): string {
  const properties = distinctBy(one.properties, ({ name }) => name).filter(({ name }) => name !== 'id');
  const columns = ['id', ...properties.map(({ name }) => name)];
  const navigations = distinctBy(one.navigations, ({ name }) => name).filter(
    ({ name }) => !columns.includes(name),
  );
  return `<EntityType Name="${one.name}"${one.hasStream ? ' HasStream="true"' : ''}>
<Key><PropertyRef Name="id"/></Key>
<Property Name="id" Type="Edm.Guid" Nullable="false"/>
${properties.map(toProperty).join('\n')}
${navigations.map((each) => toNavigation(each, one, entities, columns)).join('\n')}
</EntityType>`;
}

function toProperty({ name, type, maxLength, isNullable, annotation }: Entity['properties'][number]): string {
  const length = maxLength === null ? '' : ` MaxLength="${maxLength}"`;
  const value =
    annotation === 'Description' ? 'String="What it is; or not &quot;quite&quot; &lt;b&gt;"' : 'Bool="true"';
  const inside = annotation === null ? '' : `<Annotation Term="Org.OData.Core.V1.${annotation}" ${value}/>`;
  return `<Property Name="${name}" Type="${type}"${length} Nullable="${isNullable}">${inside}</Property>`;
}

function toNavigation(
  { name, target, isForeign, isCollection, isContained, constraint }: Entity['navigations'][number],
  owner: Entity,
  entities: readonly Entity[],
  columns: readonly string[],
): string {
  const other = entities[target % entities.length] as Entity;
  const type = isForeign ? 'Foreign.Type' : `Contoso.Model.${other.name}`;
  const column = constraint === null ? undefined : columns[constraint % columns.length];
  const inside = column ? `<ReferentialConstraint Property="${column}" ReferencedProperty="id"/>` : '';
  // Rows of two types would be one type of the graph.
  const rows = isContained && owner === entities[0] && other !== owner ? ' ContainsTarget="true"' : '';
  return `<NavigationProperty Name="${name}" Type="${isCollection ? `Collection(${type})` : type}"${rows}>${inside}</NavigationProperty>`;
}

function toSet({ setName, name, restrictions }: Entity): string {
  const terms = ['Insert', 'Update', 'Delete'].map((verb, at) => {
    const property = `${verb.replace(/e$/, '')}able`;
    return `<Annotation Term="Org.OData.Capabilities.V1.${verb}Restrictions"><Record><PropertyValue Property="${property}" Bool="${restrictions?.[at]}"/></Record></Annotation>`;
  });
  return `<EntitySet Name="${setName}" EntityType="Contoso.Model.${name}">${restrictions ? terms.join('') : ''}</EntitySet>`;
}
