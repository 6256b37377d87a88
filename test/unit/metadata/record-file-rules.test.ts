import { describe, expect, test } from 'vitest';
import type { RecordTypeFile } from '../../../src/business/record-files/record-file.ts';
import { draftRecordFiles } from '../../../src/metadata/draft-record-files.ts';
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
  draftOptions,
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

const fileOf = (csdl: string, options = {}): RecordTypeFile => {
  const [file] = draftRecordFiles(csdl, ['things'], draftOptions(options)).files;
  if (!file) throw new Error('there is no file');
  return file;
};
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
    ['Größe', 'grosse'],
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
    const { fields, origin } = thingWith(
      property('Unit_Price', 'Edm.Int32') +
        property('unitPrice', 'Edm.Int32') +
        property('UnitPrice', 'Edm.Int32'),
    );

    expect(Object.entries(fields).map(([name, { column }]) => [name, column])).toEqual([
      ['unitPrice2', 'Unit_Price'],
      ['unitPrice', undefined],
      ['unitPrice3', 'UnitPrice'],
    ]);
    expect(origin?.notes?.join()).toContain('`Unit_Price` is the field `unitPrice2`');
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

    expect(
      draftRecordFiles(csdl, ['queries', 'filters'], draftOptions()).files.map(({ type }) => type),
    ).toEqual(['QueryRecord', 'OrderFilterRecord']);
    expect(toPascalCase('purchase_order')).toBe('PurchaseOrder');
  });

  test('that a type of the graph has gets the group of its API, and otherwise a number', () => {
    const csdl = documentOf(entity('thing', ''), things);
    const known = [knownType('Thing', 'others')];

    expect(fileOf(csdl, { known })).toMatchObject({ type: 'Thing2' });
    expect(fileOf(csdl, { known, route: 'contoso/stock/v1.0' })).toMatchObject({
      type: 'StockThing',
      names: { one: 'stockThing', many: 'stockThings' },
    });
    expect(fileOf(csdl, { known: [knownType('Renamed', 'things')] })).toMatchObject({ type: 'Renamed' });
  });

  test('of what cannot be counted has a list of its records', () => {
    const csdl = documentOf(
      entity('companyInformation', ''),
      '<EntitySet Name="companyInformation" EntityType="Test.companyInformation"/>',
    );
    const [file] = draftRecordFiles(csdl, ['companyInformation'], draftOptions()).files;

    expect(file?.names).toEqual({ one: 'companyInformation', many: 'companyInformationRecords' });
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

  test('is described by the metadata, or the caption, or its name; a decimal also says what it is', () => {
    const inside = [
      '<Property Name="a" Type="Edm.String"><Annotation Term="Org.OData.Core.V1.Description" String="What A is; of course."/></Property>',
      property('reference', 'Edm.String'),
      property('iban', 'Edm.String'),
      ...['unitPrice', 'taxPercent', 'quantity', 'exchangeRate', 'height'].map((name) =>
        property(name, 'Edm.Decimal'),
      ),
      '<Property Name="fee" Type="Edm.Decimal"><Annotation Term="Org.OData.Measures.V1.ISOCurrency" String="USD"/></Property>',
      property('pricesIncludeTax', 'Edm.Boolean'),
    ].join('');
    const definitions = [
      {
        entityName: 'thing',
        entitySetName: 'things',
        properties: [
          {
            name: 'reference',
            captions: [
              { languageCode: 1033, caption: 'Your Reference' },
              { languageCode: 1031, caption: 'Ihre Referenz' },
            ],
          },
        ],
      },
    ];
    const { fields } = fileOf(documentOf(entity('thing', inside), things), { definitions });

    expect(Object.values(fields).map(({ description }) => description)).toEqual([
      'What A is, of course.',
      'Your Reference.',
      'IBAN; sensitive.',
      "Unit price, in the company's home currency.",
      'Tax percent, in per cent.',
      'Quantity, in units.',
      'Exchange rate, as a rate.',
      'Height, in units that the metadata does not name.',
      'Fee, in the currency USD.',
      'Whether prices include tax.',
    ]);
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
  test('whose key is not a GUID named id has the columns of its key', () => {
    const csdl = documentOf(
      `<EntityType Name="thing"><Key><PropertyRef Name="OrderID"/><PropertyRef Name="Line"/></Key>${property('OrderID', 'Edm.Int32', ' Nullable="false"')}${property('Line', 'Edm.String', ' Nullable="false"')}</EntityType>`,
      things,
    );

    expect(fileOf(csdl)).toMatchObject({
      key: [
        { column: 'OrderID', kind: 'int' },
        { column: 'Line', kind: 'text' },
      ],
      fields: { orderId: { column: 'OrderID' }, line: { column: 'Line' } },
    });
  });

  test('with a key that no address can hold is refused with its line', () => {
    const csdl = documentOf(
      `<EntityType Name="thing"><Key><PropertyRef Name="at"/></Key>\n${property('at', 'Edm.Duration')}</EntityType>`,
      things,
    );

    expect(() => fileOf(csdl)).toThrow(/^Line 6: the key column at of things is of the type Edm\.Duration/);
  });

  test('is read only where the metadata does not say what is written', () => {
    const inside =
      property('name', 'Edm.String') +
      '<Property Name="made" Type="Edm.Date"><Annotation Term="Org.OData.Core.V1.Computed"/></Property><Property Name="origin" Type="Edm.String" Nullable="false"><Annotation Term="Org.OData.Core.V1.Immutable" Bool="true"/></Property>';
    const silent = fileOf(documentOf(entity('thing', inside), things));
    const said = fileOf(documentOf(entity('thing', inside), restricted(true, true, false)));

    expect(silent.writes).toBeUndefined();
    expect(silent.origin?.notes?.join()).toContain('read only');
    expect(said.writes).toEqual(['create', 'update']);
    expect(said.fields.name?.writes).toEqual(['create', 'update']);
    expect(said.fields.made?.writes).toBeUndefined();
    expect(said.fields.origin).toMatchObject({ writes: ['create'], isRequired: true });
  });

  test('names another by its id alone in writes, where it has its number, too', () => {
    const { fields } = fileOf(
      documentOf(
        entity('thing', property('vendorId', 'Edm.Guid') + property('vendorNumber', 'Edm.String')),
        restricted(true, true, true),
      ),
    );

    expect([fields.vendorId?.writes, fields.vendorNumber?.writes]).toEqual([['create', 'update'], undefined]);
  });

  test('is watched where it says when it last changed', () => {
    expect(thingWith(property('lastModifiedDateTime', 'Edm.DateTimeOffset')).watched).toEqual({
      description: 'Things of the company.',
    });
    expect(thingWith('').watched).toBeUndefined();
  });

  test('with columns that are not listed, or of derived types, says so', () => {
    const csdl = documentOf(
      `${entity('thing', '', ' OpenType="true"')}<EntityType Name="special" BaseType="Test.thing"/>`,
      things,
    );
    const notes = fileOf(csdl).origin?.notes?.join('\n');

    expect(notes).toContain('columns that the metadata does not list');
    expect(notes).toContain('derived type `special` are left out');
  });

  test('that is not there is named, with one that is', () => {
    expect(() =>
      draftRecordFiles(documentOf(entity('thing', ''), things), ['Thing'], draftOptions()),
    ).toThrow('Did you mean things?');
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
    expect(fileOf(csdl, { known: [knownType('Owner', 'owners')] }).relations).toEqual({
      owner: {
        type: 'Owner',
        description: 'The owner, as a record; null where there is none.',
        idField: 'ownerId',
        navigation: 'owner',
      },
    });
    const alone = fileOf(csdl);
    expect(alone.relations).toBeUndefined();
    expect(alone.origin?.notes?.join()).toContain(
      'the navigation `owner (owners)` is left out, because what it leads to',
    );
  });

  test('to many, with a column that names the owner, is a list of the owner', () => {
    const listing = csdl.replace(
      '</EntityType>',
      '<NavigationProperty Name="things" Type="Collection(Test.thing)" Partner="owner"/></EntityType>',
    );

    expect(fileOf(listing, { known: [knownType('Owner', 'owners')] }).listedBy).toEqual({
      Owner: {
        description: "The things of the owner, in the upstream's order unless `orderBy` is given.",
        fields: { ownerId: 'id' },
      },
    });
  });

  test('of Business Central to a record whose id and number are there makes a list of that record', () => {
    const inside =
      property('ownerId', 'Edm.Guid') + property('ownerNumber', 'Edm.String', ' MaxLength="20"') + toOwner;
    const file = fileOf(businessCentralDocument(owner + entity('thing', inside), things + owners), {
      known: [knownType('Owner', 'owners')],
    });

    expect(file.listedBy?.Owner?.fields).toEqual({ ownerId: 'id' });
  });

  test('to what is contained and has no entity set is rows, and a stream is a file', () => {
    const part = entity('part', property('name', 'Edm.String'));
    const photo = entity('photo', property('content', 'Edm.Stream'));
    const inside =
      '<NavigationProperty Name="parts" Type="Collection(Test.part)" ContainsTarget="true"/><NavigationProperty Name="photo" Type="Test.photo" ContainsTarget="true"/>' +
      property('scan', 'Edm.String');
    const file = fileOf(documentOf(part + photo + entity('thing', inside), things));

    expect(file.rows).toMatchObject({
      parts: { type: 'Part', navigation: 'parts', fields: { id: { kind: 'uuid' }, name: { kind: 'text' } } },
    });
    expect(file.files).toMatchObject({ photo: { segment: 'photo/content' } });
  });

  test('to lines of a document is rows, which show the currency of their document', () => {
    const line = entity(
      'thingLine',
      `${property('unitPrice', 'Edm.Decimal')}<NavigationProperty Name="thing" Type="Test.thing" Partner="thingLines" ContainsTarget="true"/>`,
    );
    const inside = `${property('currencyCode', 'Edm.String')}<NavigationProperty Name="thingLines" Type="Collection(Test.thingLine)" Partner="thing" ContainsTarget="true"/>`;
    const lines = '<EntitySet Name="thingLines" EntityType="Test.thingLine"/>';
    const text = businessCentralDocument(line + entity('thing', inside), things + lines);

    expect(fileOf(text).rows?.thingLines).toMatchObject({
      type: 'ThingLine',
      ownerFields: { currencyCode: 'Code of the currency of its amounts, which is that of the thing.' },
    });
    expect(draftRecordFiles(text, ['thingLines'], draftOptions()).files[0]).toMatchObject({
      type: 'ThingLineRecord',
      names: { one: 'thingLineRecord', many: 'thingLineRecords' },
    });
  });
});

describe('lists that a file leaves out', () => {
  const part = entity(
    'part',
    `${property('thingId', 'Edm.Guid')}<NavigationProperty Name="thing" Type="Test.thing"><ReferentialConstraint Property="thingId" ReferencedProperty="id"/></NavigationProperty>`,
  );
  const list = (name: string, type: string) =>
    `<NavigationProperty Name="${name}" Type="Collection(Test.${type})"/>`;
  const parts = '<EntitySet Name="parts" EntityType="Test.part"/>';
  const text = documentOf(
    part + entity('thing', list('parts', 'part') + list('things', 'thing')),
    things + parts,
  );
  const notesOf = (entitySets: readonly string[], options = {}) =>
    draftRecordFiles(text, entitySets, draftOptions(options)).notes.filter((note) => /list/.test(note));

  test('are said where their entity set is not in the graph, or the column is missing', () => {
    expect(notesOf(['things'])).toEqual([
      'Thing: the list `things` is left out: no column of such a record names its Thing.',
      'Thing: the list `parts` is left out here. Add its entity set: it becomes a list of Thing where a column names it.',
    ]);
  });

  test('are not said where a file of the same run has them, its own included', () => {
    const self = documentOf(
      entity(
        'thing',
        `${property('parentId', 'Edm.Guid')}${list('children', 'thing')}<NavigationProperty Name="parent" Type="Test.thing" Partner="children"><ReferentialConstraint Property="parentId" ReferencedProperty="id"/></NavigationProperty>`,
      ),
      things,
    );
    const { files, notes } = draftRecordFiles(self, ['things'], draftOptions());

    expect(files[0]?.listedBy?.Thing?.fields).toEqual({ parentId: 'id' });
    expect(notes.join()).not.toContain('left out');
    expect(notesOf(['things', 'parts']).join()).not.toContain('`parts`');
  });

  test('are said to be a matter of their own record file where the graph has it already', () => {
    expect(notesOf(['things'], { known: [knownType('Part', 'parts')] })).toContain(
      'Thing: the list `parts` is left out here. `listedBy` in the record file of its type makes it one.',
    );
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
  const known = [{ ...knownType('Owner', 'owners'), hasGuidKey: true }];

  expect(fileOf(csdl, { known }).relations).toBeUndefined();
});

test('a type of the graph lists records by its id alone', () => {
  const owner = `<EntityType Name="owner"><Key><PropertyRef Name="code"/></Key>${property('code', 'Edm.String', ' Nullable="false"')}<NavigationProperty Name="things" Type="Collection(Test.thing)" Partner="owner"/></EntityType>`;
  const inside = `${property('ownerCode', 'Edm.String')}<NavigationProperty Name="owner" Type="Test.owner" Partner="things"><ReferentialConstraint Property="ownerCode" ReferencedProperty="code"/></NavigationProperty>`;
  const csdl = documentOf(
    owner + entity('thing', inside),
    `${things}<EntitySet Name="owners" EntityType="Test.owner"/>`,
  );
  const listedBy = (names: readonly string[], known: readonly ReturnType<typeof knownType>[]) =>
    draftRecordFiles(csdl, names, draftOptions({ known })).files.find(({ type }) => type === 'Thing')
      ?.listedBy;

  expect(listedBy(['things', 'owners'], [])).toMatchObject({ Owner: { fields: { ownerCode: 'code' } } });
  expect(listedBy(['things'], [knownType('Owner', 'owners')])).toBeUndefined();
});

test.for(['vendorByNumber', 'vendorsRecords'])(
  'a set `%s` is no field that a type of the graph has',
  (name) => {
    const csdl = documentOf(entity(name, ''), `<EntitySet Name="${name}" EntityType="Test.${name}"/>`);
    const names = ['vendor', 'vendors', 'vendorByNumber', 'vendorsRecords'];
    const known = [{ ...knownType('Vendor', 'vendors'), names }];
    const [file] = draftRecordFiles(csdl, [name], draftOptions({ known })).files;

    expect([file?.names.one, file?.names.many]).not.toContain(name);
  },
);

test('a type of SAP is no "a a business partner"', () => {
  const { texts } = draftRecordFiles(
    documentOf(
      entity('A_BusinessPartnerType', property('name', 'Edm.String')),
      '<EntitySet Name="A_BusinessPartner" EntityType="Test.A_BusinessPartnerType"/>',
    ),
    ['A_BusinessPartner'],
    draftOptions(),
  ).files[0] as RecordTypeFile;

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

  test('is shortened: a note on many columns', () => {
    const { origin } = thingWith(columns(900, 'Edm.Duration'));

    expect(origin?.notes?.some((note) => note.length === 2_000 && note.endsWith('…'))).toBe(true);
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
