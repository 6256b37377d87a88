import { describe, expect, test } from 'vitest';
import { toCamelCase, toPascalCase, withArticle } from '../../../src/adding/words.ts';
import type { RecordFile } from '../../../src/business/record-files/record-file.ts';
import { documentOf, draftOf, knownType } from '../../support/cases/metadata.ts';

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

  test('has the article of its sound', () => {
    expect(['item', 'unit of measure', 'vendor'].map(withArticle)).toEqual([
      'an item',
      'a unit of measure',
      'a vendor',
    ]);
    expect(toPascalCase('purchase_order')).toBe('PurchaseOrder');
  });

  test('that another one becomes, too, gets a number', () => {
    const { fields } = thingWith(property('unitPrice', 'Edm.Int32') + property('Unit_Price', 'Edm.Int32'));

    expect(Object.entries(fields).map(([name, { column }]) => [name, column])).toEqual([
      ['unitPrice', undefined],
      ['unitPrice2', 'Unit_Price'],
    ]);
  });

  test('of a field that every record has, or that seems to be of its company, is another', () => {
    const { fields } = thingWith(
      property('companyId', 'Edm.Guid') +
        property('companyNumber', 'Edm.String') +
        property('etag', 'Edm.String'),
    );

    expect(Object.keys(fields)).toEqual(['companyIdValue', 'companyNumberValue', 'etagValue']);
  });

  test('of a type that is called like its set has a list of its records', () => {
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
    ['Edm.Date', 'date'],
    ['Edm.DateTimeOffset', 'dateTime'],
    ['Edm.TimeOfDay', 'text'],
    ['Edm.Duration', 'text'],
    ['Edm.Binary', 'text'],
    ['Edm.GeographyPoint', 'object'],
    ['Test.Address', 'object'],
    ['Collection(Edm.String)', 'object'],
    ['Test.Color', 'word'],
  ])('of %s is of the kind %s', (type, kind) => {
    const { fields } = thingWith(
      property('value', type),
      '<ComplexType Name="Address"/><EnumType Name="Color"><Member Name="Red"/></EnumType>',
    );

    expect(fields.value?.kind).toBe(kind);
  });

  test('whose values no filter can name is in none', () => {
    const { fields } = thingWith(
      property('tags', 'Collection(Edm.String)') +
        property('span', 'Edm.Duration') +
        property('name', 'Edm.String', ' MaxLength="50"'),
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

  test('of a set that the metadata says is not sorted is filtered alone', () => {
    const annotated = `<EntitySet Name="things" EntityType="Test.thing"><Annotation Term="Org.OData.Capabilities.V1.SortRestrictions"><Record><PropertyValue Property="Sortable" Bool="false"/></Record></Annotation></EntitySet>`;
    const { fields } = fileOf(documentOf(entity('thing', property('count', 'Edm.Int32')), annotated));

    expect(fields.count).toMatchObject({ canSort: false });
    expect(fields.count?.canFilter).toBeUndefined();
  });

  test('is a code by its name and length, computed without a length, and a word in the language of the caller', () => {
    const inside = [
      property('number', 'Edm.String', ' MaxLength="20"'),
      property('country', 'Edm.String', ' MaxLength="10"'),
      property('phoneNumber', 'Edm.String', ' MaxLength="30"'),
      property('city', 'Edm.String', ' MaxLength="30"'),
      property('currencyCode', 'Edm.String'),
      '<Property Name="method" Type="Edm.String" MaxLength="50"><Annotation Term="Org.OData.Core.V1.IsLanguageDependent" Bool="true"/></Property>',
    ].join('');
    const file = fileOf(documentOf(entity('thing', inside), things));

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

  test('is described by its name, and by its words in the language of the caller as `Annotations` say, too', () => {
    const csdl = documentOf(
      entity('thing', property('height', 'Edm.Decimal') + property('state', 'Edm.String', ' MaxLength="9"')),
      things,
    ).replace(
      '<EntityContainer',
      '<Annotations Target="Test.thing/state"><Annotation Term="Org.OData.Core.V1.IsLanguageDependent" Bool="true"/></Annotations><EntityContainer',
    );

    expect(fileOf(csdl).fields).toEqual({
      height: { kind: 'decimal', description: 'Height, in units that the metadata does not name.' },
      state: { kind: 'word', description: 'State.', canFilter: false, canSort: false },
    });
  });
});

test('the words of a choice are decoded and listed, and a blank one is the unset one', () => {
  const { fields } = thingWith(
    property('kind', 'Test.Kind') + property('odd', 'Test.Odd'),
    ['_x0020_,Non_x002D_Inventory,None', 'A_x0007_,B']
      .map((members, index) => {
        const inside = members.split(',').map((name) => `<Member Name="${name}"/>`);
        return `<EnumType Name="${index === 0 ? 'Kind' : 'Odd'}">${inside.join('')}</EnumType>`;
      })
      .join(''),
  );

  expect(fields).toEqual({
    kind: { kind: 'wordOrBlank', description: 'Kind: `Non-Inventory` or `None`.' },
    odd: { kind: 'word', description: 'Odd.' },
  });
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

  test('with actions or files says so', () => {
    const csdl = documentOf(
      `${entity('thing', property('scan', 'Edm.Stream'))}<Action Name="post" IsBound="true"><Parameter Name="it" Type="Test.thing"/></Action>`,
      things,
    );

    expect(fileOf(csdl).fields).toEqual({});
    for (const said of ['the actions post.', 'the files scan.']) expect(reviewOf(csdl)).toContain(said);
  });

  test.each([
    ['is not in the document', '', /^Line 7: things is of Test.thing, which is no entity type/],
    ['has a base type', entity('thing', '', ' BaseType="Test.other"'), /^Line 5: thing has a base type/],
  ])('whose type %s is refused', (_what, types, reason) => {
    expect(() => fileOf(documentOf(types, things))).toThrow(reason);
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
    expect(fileOf(csdl, { known: [knownType('Owner', 'owners')] }).relations).toEqual({
      owner: {
        type: 'Owner',
        description: 'The owner, as a record; null where there is none.',
        idField: 'ownerId',
        navigation: 'owner',
      },
    });
    expect(fileOf(csdl).relations).toBeUndefined();
    expect(reviewOf(csdl)).toContain('relations to what is not in the graph: owner.');
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

  test('to one record without a constraint has its id by its name', () => {
    const inside = `${property('ownerId', 'Edm.Guid')}<NavigationProperty Name="owner" Type="Test.owner"/>`;
    const known = [knownType('Owner', 'owners')];

    expect(
      fileOf(documentOf(owner + entity('thing', inside), things + owners), { known }).relations?.owner
        ?.idField,
    ).toBe('ownerId');
  });

  test('to one record has no id of another kind than the column', () => {
    const known = [knownType('Owner', 'owners')];
    const { owner: relation } =
      fileOf(csdl.replace('"ownerId" Type="Edm.Guid"', '"ownerId" Type="Edm.String"'), { known }).relations ??
      {};

    expect(relation).toMatchObject({ navigation: 'owner' });
    expect(relation).not.toHaveProperty('idField');
  });

  test('to the company is no relation: every record has its company already', () => {
    const known = [{ ...knownType('Company', 'owners'), isTarget: false }];

    expect(fileOf(csdl, { known }).relations).toBeUndefined();
  });

  test('to what is contained and has no entity set is rows', () => {
    const part = entity('part', property('name', 'Edm.String'));
    const inside = '<NavigationProperty Name="parts" Type="Collection(Test.part)" ContainsTarget="true"/>';

    expect(fileOf(documentOf(part + entity('thing', inside), things)).rows).toMatchObject({
      parts: { type: 'Part', navigation: 'parts', fields: { id: { kind: 'uuid' }, name: { kind: 'text' } } },
    });
  });

  test('to lines of a document alone is rows', () => {
    const line = entity(
      'thingLine',
      `${property('unitPrice', 'Edm.Decimal')}<NavigationProperty Name="thing" Type="Test.thing" Partner="thingLines" ContainsTarget="true"/>`,
    );
    const inside = `${property('currencyCode', 'Edm.String')}<NavigationProperty Name="thingLines" Type="Collection(Test.thingLine)" Partner="thing" ContainsTarget="true"/>`;
    const lines = '<EntitySet Name="thingLines" EntityType="Test.thingLine"/>';
    const text = documentOf(line + entity('thing', inside), things + lines);

    expect(fileOf(text).rows?.thingLines).toMatchObject({ type: 'ThingLine' });
    const shared = entity('other', '<NavigationProperty Name="x" Type="Collection(Test.thingLine)"/>');
    expect(fileOf(text.replace('<EntityContainer', `${shared}<EntityContainer`)).rows).toBeUndefined();
  });

  test('to rows has a field `id` for a GUID of this name alone', () => {
    const line = '<EntityType Name="line"><Property Name="id" Type="Edm.Int32"/></EntityType>';
    const inside = '<NavigationProperty Name="lines" Type="Collection(Test.line)" ContainsTarget="true"/>';

    expect(fileOf(documentOf(line + entity('thing', inside), things)).rows?.lines?.fields).toEqual({
      idValue: { kind: 'int', description: 'Id.', column: 'id' },
    });
  });
});

test('what a record file cannot hold is refused with the line', () => {
  expect(() => thingWith(property('two words', 'Edm.String'))).toThrow(
    /^Line 7: what things is made of does not fit a record file: fields.twoWords.column: /,
  );
});
