import { describe, expect, test } from 'vitest';
import type { RecordFile } from '../../../src/business/record-files/record-file.ts';
import {
  pluralOf,
  singularOf,
  toCamelCase,
  toPascalCase,
  toUpperCaseName,
  withArticle,
} from '../../../src/metadata/words.ts';
import {
  businessCentralDocument,
  documentOf,
  draftAll,
  draftOf,
  graphWith,
  knownType,
} from '../../support/cases/metadata.ts';

const key = '<Key><PropertyRef Name="id"/></Key><Property Name="id" Type="Edm.Guid" Nullable="false"/>';
const entity = (name: string, inside: string, attributes = '') =>
  `<EntityType Name="${name}"${attributes}>${key}${inside}</EntityType>`;
const property = (name: string, type: string, attributes = '') =>
  `<Property Name="${name}" Type="${type}"${attributes}/>`;
const things = '<EntitySet Name="things" EntityType="Test.thing"/>';
const restricted = (create: boolean, update: boolean, remove: boolean) =>
  `<EntitySet Name="things" EntityType="Test.thing">${[
    ['Insert', 'Insertable', create],
    ['Update', 'Updatable', update],
    ['Delete', 'Deletable', remove],
  ]
    .map(
      ([term, name, can]) =>
        `<Annotation Term="Org.OData.Capabilities.V1.${term}Restrictions"><Record><PropertyValue Property="${name}" Bool="${can}"/></Record></Annotation>`,
    )
    .join('')}</EntitySet>`;

const fileOf = (csdl: string, options = {}): RecordFile => draftOf(csdl, 'things', options).file;
const reviewOf = (csdl: string): string => draftOf(csdl, 'things').review.join('\n');
const thingWith = (inside: string, types = '') => fileOf(documentOf(entity('thing', inside) + types, things));

describe('a name', () => {
  test.each([
    ['No_', 'no'],
    ['Order_Details', 'orderDetails'],
    ['OrderID', 'orderId'],
    ['ID', 'id'],
    ['author_ID', 'authorId'],
    ['irs1099Code', 'irs1099Code'],
    ['__type', 'type'],
    ['Änderung', 'anderung'],
    ['Преис', 'x'],
    ['_1099', 'x1099'],
  ])('%s is the field %s', (name, field) => {
    expect(toCamelCase(name, 'x')).toBe(field);
  });

  test.each([
    ['vendors', 'vendor'],
    ['companies', 'company'],
    ['generalLedgerEntries', 'generalLedgerEntry'],
    ['Order_Details', 'Order_Detail'],
    ['People', 'Person'],
    ['addresses', 'address'],
    ['statuses', 'status'],
    ['purchases', 'purchase'],
    ['unitsOfMeasure', 'unitOfMeasure'],
    ['boxes', 'box'],
    ['companyInformation', null],
    ['status', null],
  ])('%s in the singular is %s', (plural, singular) => {
    expect(singularOf(plural)).toBe(singular);
    if (singular !== null && !singular.includes('Of')) expect(pluralOf(singular)).toBe(plural);
  });

  test.each([
    ['Non-Inventory', 'NON_INVENTORY'],
    ['Positive Adjmt.', 'POSITIVE_ADJMT'],
    ['10', 'VALUE_10'],
    ['Ändern', 'ANDERN'],
    ['+', 'VALUE'],
  ])('%s is the member %s', (word, member) => {
    expect(toUpperCaseName(word)).toBe(member);
  });

  test('has the article of its sound', () => {
    expect(['item', 'unit of measure', 'hour', 'vendor', 'IBAN'].map(withArticle)).toEqual([
      'an item',
      'a unit of measure',
      'an hour',
      'a vendor',
      'an IBAN',
    ]);
  });

  test('that another one becomes, too, gets a number; one that GraphQL can say stays', () => {
    const csdl = documentOf(
      entity(
        'thing',
        property('Unit_Price', 'Edm.Int32') +
          property('unitPrice', 'Edm.Int32') +
          property('UnitPrice', 'Edm.Int32'),
      ),
      things,
    );
    const { fields } = fileOf(csdl);

    expect(Object.entries(fields).map(([name, { column }]) => [name, column])).toEqual([
      ['unitPrice2', 'Unit_Price'],
      ['unitPrice', undefined],
      ['unitPrice3', 'UnitPrice'],
    ]);
    expect(reviewOf(csdl)).toContain('Thing.unitPrice2 is the column Unit_Price');
  });

  test('of a field that every record has, or that stands beside a choice, is another', () => {
    const { fields } = thingWith(
      property('companyId', 'Edm.Guid') +
        property('etag', 'Edm.String') +
        property('statusRaw', 'Edm.String') +
        property('status', 'Test.Status'),
      '<EnumType Name="Status"><Member Name="A"/></EnumType>',
    );

    expect(Object.keys(fields)).toEqual(['companyIdValue', 'etagValue', 'statusRaw2', 'status']);
  });

  test('of a type that every graph has, or that derives from another, is another', () => {
    const csdl = documentOf(
      entity('Query', '') + entity('OrderFilter', ''),
      '<EntitySet Name="queries" EntityType="Test.Query"/><EntitySet Name="filters" EntityType="Test.OrderFilter"/>',
    );

    expect(draftAll(csdl, ['queries', 'filters']).files.map(({ type }) => type)).toEqual([
      'QueryRecord',
      'OrderFilterRecord',
    ]);
    expect(toPascalCase('purchase_order')).toBe('PurchaseOrder');
  });

  test('that a type of the graph has gets the group of its API, and otherwise a number', () => {
    const csdl = documentOf(entity('thing', ''), things);
    const graph = graphWith([knownType('Thing', 'others')]);

    expect(fileOf(csdl, { graph })).toMatchObject({ type: 'Thing2' });
    expect(fileOf(csdl, { graph, route: 'contoso/stock/v1.0' })).toMatchObject({
      type: 'StockThing',
      names: { one: 'stockThing', many: 'stockThings' },
    });
  });

  test('of what cannot be counted has a list of its records', () => {
    const csdl = documentOf(
      entity('companyInformation', ''),
      '<EntitySet Name="companyInformation" EntityType="Test.companyInformation"/>',
    );
    const { file } = draftOf(csdl, 'companyInformation');

    expect(file.names).toEqual({ one: 'companyInformation', many: 'companyInformationRecords' });
  });
});

describe('a column', () => {
  test.each([
    ['Edm.Guid', 'uuid'],
    ['Edm.String', 'text'],
    ['Edm.Boolean', 'boolean'],
    ['Edm.Int16', 'int'],
    ['Edm.Int32', 'int'],
    ['Edm.Int64', 'safeInt'],
    ['Edm.Decimal', 'decimal'],
    ['Edm.Double', 'decimal'],
    ['Edm.Single', 'decimal'],
    ['Edm.Date', 'date'],
    ['Edm.DateTimeOffset', 'dateTime'],
    ['Edm.TimeOfDay', 'text'],
    ['Edm.Duration', 'text'],
    ['Edm.Binary', 'text'],
    ['Edm.GeographyPoint', 'object'],
    ['Test.Address', 'object'],
    ['Collection(Edm.String)', 'object'],
    ['Test.Length', 'decimal'],
    ['Test.Color', 'choice'],
    ['Test.Flags', 'word'],
  ])('of %s is of the kind %s', (type, kind) => {
    const { fields } = thingWith(
      property('value', type),
      `<ComplexType Name="Address"/><TypeDefinition Name="Length" UnderlyingType="Edm.Decimal"/>
       <EnumType Name="Color"><Member Name="Red"/></EnumType><EnumType Name="Flags" IsFlags="true"><Member Name="A" Value="1"/></EnumType>`,
    );

    expect(fields.value?.kind).toBe(kind);
  });

  test('whose values no filter can name is in none', () => {
    const { fields } = thingWith(
      property('tags', 'Collection(Edm.String)') +
        property('span', 'Edm.Duration') +
        property('name', 'Edm.String'),
    );

    expect(
      Object.entries(fields).map(([name, { canFilter, canSort }]) => [
        name,
        canFilter ?? true,
        canSort ?? true,
      ]),
    ).toEqual([
      ['tags', false, false],
      ['span', false, false],
      ['name', true, true],
    ]);
  });

  test('that may be null says so, but in Business Central, which has no null', () => {
    const columns = `${property('note', 'Edm.String')}${property('count', 'Edm.Int32', ' Nullable="false"')}`;
    const ofCentral = businessCentralDocument(entity('thing', columns), things);

    expect(thingWith(columns).fields).toMatchObject({ note: { isNullable: true } });
    expect(thingWith(columns).fields.count).not.toHaveProperty('isNullable');
    expect(fileOf(ofCentral).fields.note).not.toHaveProperty('isNullable');
  });

  test('that restrictions name is not filtered or sorted', () => {
    const annotated = `<EntitySet Name="things" EntityType="Test.thing"><Annotation Term="Org.OData.Capabilities.V1.SortRestrictions"><Record><PropertyValue Property="NonSortableProperties"><Collection><PropertyPath>name</PropertyPath></Collection></PropertyValue></Record></Annotation></EntitySet>`;
    const { fields } = fileOf(documentOf(entity('thing', property('name', 'Edm.String')), annotated));

    expect(fields.name).toMatchObject({ canSort: false });
    expect(fields.name?.canFilter).toBeUndefined();
  });

  test('of Business Central is a code by its name and length, computed without a length, and a word in the language of the caller', () => {
    const inside = [
      property('number', 'Edm.String', ' MaxLength="20"'),
      property('country', 'Edm.String', ' MaxLength="10"'),
      property('phoneNumber', 'Edm.String', ' MaxLength="30"'),
      property('city', 'Edm.String', ' MaxLength="30"'),
      property('currencyCode', 'Edm.String'),
      '<Property Name="method" Type="Edm.String" MaxLength="50"><Annotation Term="Org.OData.Core.V1.IsLanguageDependent" Bool="true"/></Property>',
    ].join('');
    const file = fileOf(businessCentralDocument(entity('thing', inside), things));

    expect(
      Object.entries(file.fields).map(([name, { kind, canFilter = true }]) => `${name} ${kind} ${canFilter}`),
    ).toEqual([
      'number code true',
      'country code true',
      'phoneNumber text true',
      'city text true',
      'currencyCode text false',
      'method word false',
    ]);
    expect(file.names.byNumber).toBe('thingByNumber');
  });

  test('is described by the metadata, or its name; a decimal also says what it is', () => {
    const inside = [
      '<Property Name="a" Type="Edm.String"><Annotation Term="Org.OData.Core.V1.Description" String="What A is; of course."/></Property>',
      property('reference', 'Edm.String'),
      property('iban', 'Edm.String'),
      property('height', 'Edm.Decimal'),
      '<Property Name="fee" Type="Edm.Decimal"><Annotation Term="Org.OData.Measures.V1.ISOCurrency" String="USD"/></Property>',
      '<Property Name="share" Type="Edm.Decimal"><Annotation Term="Org.OData.Measures.V1.Unit" String="%"/></Property>',
    ].join('');
    const csdl = documentOf(entity('thing', inside), things);

    expect(Object.values(fileOf(csdl).fields).map(({ description }) => description)).toEqual([
      'What A is, of course.',
      'Reference.',
      'IBAN.',
      'Height, in units that the metadata does not name.',
      'Fee, in the currency USD.',
      'Share, in per cent.',
    ]);
    expect(reviewOf(csdl)).toContain('Thing, height: say the unit or the currency in the description.');
  });
});

test('the words of a choice are decoded, named in upper case, and the blank is the unset one', () => {
  const members = ['_x0020_', 'Non_x002D_Inventory', 'non_x0020_inventory', 'UNRECOGNIZED', 'None', '1'];
  const { enums } = thingWith(
    property('kind', 'Test.Kind'),
    `<EnumType Name="Kind">${members.map((name) => `<Member Name="${name}"/>`).join('')}</EnumType>`,
  );

  expect(enums).toMatchObject({ ThingKind: { unset: ' ' } });
  expect(Object.entries(enums?.ThingKind?.members ?? {}).map(([name, { word }]) => [name, word])).toEqual([
    ['NOT_SET', ' '],
    ['NON_INVENTORY', 'Non-Inventory'],
    ['NON_INVENTORY2', 'non inventory'],
    ['UNRECOGNIZED2', 'UNRECOGNIZED'],
    ['NONE', 'None'],
    ['VALUE_1', '1'],
  ]);
});

describe('a record', () => {
  test.each([
    ['another name', '<Key><PropertyRef Name="OrderID"/></Key>', property('OrderID', 'Edm.Guid')],
    ['another kind', '<Key><PropertyRef Name="id"/></Key>', property('id', 'Edm.String')],
    [
      'several columns',
      '<Key><PropertyRef Name="id"/><PropertyRef Name="line"/></Key>',
      property('id', 'Edm.Guid') + property('line', 'Edm.Int32'),
    ],
  ])('whose key has %s is refused with its line', (_what, ofKey, columns) => {
    const csdl = documentOf(`<EntityType Name="thing">${ofKey}${columns}</EntityType>`, things);

    expect(() => fileOf(csdl)).toThrow(/^Line 5: the key of things is .+: records are known by a GUID `id`/);
  });

  test('is read only, and the review says which writes the metadata allows', () => {
    const inside = property('name', 'Edm.String');
    const silent = documentOf(entity('thing', inside), things);
    const said = documentOf(entity('thing', inside), restricted(true, true, false));

    for (const csdl of [silent, said]) {
      expect(fileOf(csdl)).not.toHaveProperty('writes');
      expect(fileOf(csdl).fields.name).not.toHaveProperty('writes');
    }
    expect(reviewOf(silent)).toContain('The metadata does not say that it takes writes.');
    expect(reviewOf(said)).toContain('By the metadata it takes create, update:');
  });

  test('that says when it last changed is not watched, and the review says so', () => {
    const csdl = documentOf(entity('thing', property('lastModifiedDateTime', 'Edm.DateTimeOffset')), things);

    expect(fileOf(csdl)).not.toHaveProperty('watched');
    expect(reviewOf(csdl)).toContain('changes are not watched');
  });

  test('with columns that are not listed, of derived types, or with actions or files, says so', () => {
    const csdl = documentOf(
      `${entity('thing', property('scan', 'Edm.Stream'), ' OpenType="true" HasStream="true"')}<EntityType Name="special" BaseType="Test.thing"/><Action Name="post" IsBound="true"><Parameter Name="it" Type="Test.thing"/></Action>`,
      things,
    );

    expect(fileOf(csdl).fields).toEqual({});
    for (const said of [
      'columns that the metadata does not list',
      'the derived types special.',
      'the actions post.',
      'the files scan.',
      'below `$value`',
    ])
      expect(reviewOf(csdl)).toContain(said);
  });

  test('that is not there is named, with one that is', () => {
    expect(() => draftOf(documentOf(entity('thing', ''), things), 'Thing')).toThrow('Did you mean things?');
  });
});

describe('a navigation', () => {
  const owner = entity('owner', property('number', 'Edm.String'));
  const owners = '<EntitySet Name="owners" EntityType="Test.owner"/>';
  const toOwner =
    '<NavigationProperty Name="owner" Type="Test.owner"><ReferentialConstraint Property="ownerId" ReferencedProperty="id"/></NavigationProperty>';
  const csdl = documentOf(
    owner + entity('thing', property('ownerId', 'Edm.Guid') + toOwner),
    things + owners,
  );

  test('to one record is a relation by the id of its constraint, where the graph has its type', () => {
    expect(fileOf(csdl, { graph: graphWith([knownType('Owner', 'owners')]) }).relations).toEqual({
      owner: {
        type: 'Owner',
        description: 'The owner, as a record; null where there is none.',
        idField: 'ownerId',
        navigation: 'owner',
      },
    });
    expect(fileOf(csdl).relations).toBeUndefined();
    expect(reviewOf(csdl)).toContain('relations to what is not in the graph: owner (owners).');
  });

  test('to many is left out, and the review says how the list is made', () => {
    const listing = csdl.replace(
      `</EntityType><EntityType Name="thing">`,
      '<NavigationProperty Name="things" Type="Collection(Test.thing)" Partner="owner"/></EntityType><EntityType Name="thing">',
    );

    expect(draftOf(listing, 'owners').review.join()).toContain(
      'left out are the lists things. `listedBy` in',
    );
  });

  test('of Business Central to one record has its id by its name', () => {
    const inside = `${property('ownerId', 'Edm.Guid')}<NavigationProperty Name="owner" Type="Test.owner"/>`;
    const graph = graphWith([knownType('Owner', 'owners')]);
    const text = (make: typeof documentOf) => make(owner + entity('thing', inside), things + owners);

    expect(fileOf(text(businessCentralDocument), { graph }).relations?.owner?.idField).toBe('ownerId');
    expect(fileOf(text(documentOf), { graph }).relations?.owner?.idField).toBeUndefined();
  });

  test('to what is contained and has no entity set is rows', () => {
    const part = entity('part', property('name', 'Edm.String'));
    const inside = '<NavigationProperty Name="parts" Type="Collection(Test.part)" ContainsTarget="true"/>';

    expect(fileOf(documentOf(part + entity('thing', inside), things)).rows).toMatchObject({
      parts: { type: 'Part', navigation: 'parts', fields: { id: { kind: 'uuid' }, name: { kind: 'text' } } },
    });
  });

  test('to lines of a document is rows; their entity set alone is another type', () => {
    const line = entity(
      'thingLine',
      `${property('unitPrice', 'Edm.Decimal')}<NavigationProperty Name="thing" Type="Test.thing" Partner="thingLines" ContainsTarget="true"/>`,
    );
    const inside = `${property('currencyCode', 'Edm.String')}<NavigationProperty Name="thingLines" Type="Collection(Test.thingLine)" Partner="thing" ContainsTarget="true"/>`;
    const lines = '<EntitySet Name="thingLines" EntityType="Test.thingLine"/>';
    const text = businessCentralDocument(line + entity('thing', inside), things + lines);

    expect(fileOf(text).rows?.thingLines).toMatchObject({ type: 'ThingLine' });
    expect(draftOf(text, 'thingLines').file).toMatchObject({
      type: 'ThingLineRecord',
      names: { one: 'thingLineRecord', many: 'thingLineRecords' },
    });
  });
});

test.for(['and', 'or', 'not'])('a column `%s` has another name, because filters have that one', (name) => {
  expect(thingWith(property(name, 'Edm.String')).fields[`${name}Value`]).toMatchObject({ column: name });
});

test('a set of another service, with the name but not the key of one of the graph, is no target of relations', () => {
  const owner = `<EntityType Name="owner"><Key><PropertyRef Name="id"/></Key>${property('id', 'Edm.Boolean', ' Nullable="false"')}</EntityType>`;
  const inside = `${property('ownerId', 'Edm.Boolean')}<NavigationProperty Name="owner" Type="Test.owner"><ReferentialConstraint Property="ownerId" ReferencedProperty="id"/></NavigationProperty>`;
  const csdl = documentOf(
    owner + entity('thing', inside),
    `${things}<EntitySet Name="owners" EntityType="Test.owner"/>`,
  );
  const graph = graphWith([knownType('Owner', 'owners')]);

  expect(fileOf(csdl, { graph }).relations).toBeUndefined();
});

test.for(['vendorByNumber', 'vendorsRecords'])(
  'a set `%s` is no field that a type of the graph has',
  (name) => {
    const csdl = documentOf(entity(name, ''), `<EntitySet Name="${name}" EntityType="Test.${name}"/>`);
    const names = ['vendor', 'vendors', 'vendorByNumber', 'vendorsRecords'];
    const { file } = draftOf(csdl, name, { graph: graphWith([], [], names) });

    expect([file.names.one, file.names.many]).not.toContain(name);
  },
);

test('a type of SAP is no "a a business partner"', () => {
  const { texts } = draftOf(
    documentOf(
      entity('A_BusinessPartnerType', property('name', 'Edm.String')),
      '<EntitySet Name="A_BusinessPartner" EntityType="Test.A_BusinessPartnerType"/>',
    ),
    'A_BusinessPartner',
  ).file;

  expect(texts.one).toBe('a business partner type');
});

describe('what a record file cannot hold', () => {
  const columns = (count: number, type: string) =>
    Array.from({ length: count }, (_, at) => property(`column${at}`, type)).join('\n');

  test('is refused with the line: more columns than RECORD_TYPES takes', () => {
    expect(() => thingWith(columns(1_000, 'Edm.String'))).toThrow(
      'Line 5: the type thing of things has 1001 columns; 1000 is the maximum.',
    );
    expect(Object.keys(thingWith(columns(999, 'Edm.String')).fields)).toHaveLength(999);
  });

  test('is a word: a choice of more members than an enum can have', () => {
    const members = Array.from({ length: 1_001 }, (_, at) => `<Member Name="m${at}"/>`).join('');
    const { fields, enums } = thingWith(
      property('kind', 'Test.Kind'),
      `<EnumType Name="Kind">${members}</EnumType>`,
    );

    expect({ kind: fields.kind?.kind, enums }).toEqual({ kind: 'word', enums: undefined });
  });
});
