import { describe, expect, test } from 'vitest';
import { toCamelCase, toPascalCase } from '../../../src/adding/words.ts';
import { withArticle } from '../../../src/business/declarations/words.ts';
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

const draft = (csdl: string, options = {}) => draftOf(csdl, 'things', options);
/** The fields of a draft, each as its line. */
const fieldsIn = (text: string) => [...text.matchAll(/^ {2}(\w+: .*)$/gm)].map(([, line]) => line);
const reviewIn = (text: string) => text.match(/^#.*$/gm)?.join('\n') ?? '';
const thingWith = (inside: string, types = '') => draft(documentOf(entity('thing', inside) + types, things));

describe('a name', () => {
  test.each([
    ['No_', 'no'],
    ['Order_Details', 'orderDetails'],
    ['OrderID', 'orderId'],
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
    const text = thingWith(property('unitPrice', 'Edm.Int32') + property('Unit_Price', 'Edm.Int32'));

    expect(fieldsIn(text)).toEqual(['unitPrice: Int', 'unitPrice2: Int @column(name: "Unit_Price")']);
  });

  test('of a field that every record has, or that seems to be of its company, is another', () => {
    const text = thingWith(property('companyId', 'Edm.Guid') + property('companyNumber', 'Edm.Int32'));

    expect(fieldsIn(text)).toEqual([
      'companyIdValue: UUID @column(name: "companyId")',
      'companyNumberValue: Int @column(name: "companyNumber")',
    ]);
  });

  test('of a type that is called like its set has a list of its records', () => {
    const csdl = documentOf(
      entity('companyInformation', ''),
      '<EntitySet Name="companyInformation" EntityType="Test.companyInformation"/>',
    );

    expect(draftOf(csdl, 'companyInformation')).toContain(
      'type CompanyInformation @record(set: "companyInformation", many: "companyInformationRecords")',
    );
  });
});

describe('a column', () => {
  test.each([
    ['Edm.Guid', 'UUID'],
    ['Edm.Boolean', 'Boolean'],
    ['Edm.Int32', 'Int'],
    ['Edm.Int64', 'SafeInt'],
    ['Edm.Decimal', 'Decimal'],
    ['Edm.Date', 'Date'],
    ['Edm.DateTimeOffset', 'DateTime'],
    ['Edm.TimeOfDay', 'String @column(filter: false, sort: false)'],
    ['Edm.GeographyPoint', 'JSON'],
    ['Test.Address', 'JSON'],
    ['Test.Color', 'String @column(kind: WORD)'],
  ])('of %s is of the type %s', (type, scalar) => {
    const text = thingWith(
      property('value', type),
      '<ComplexType Name="Address"/><EnumType Name="Color"><Member Name="Red"/></EnumType>',
    );

    expect(fieldsIn(text)).toEqual([`value: ${scalar}`]);
  });

  test('of a set that the metadata says is not sorted is filtered alone', () => {
    const annotated = `<EntitySet Name="things" EntityType="Test.thing"><Annotation Term="Org.OData.Capabilities.V1.SortRestrictions"><Record><PropertyValue Property="Sortable" Bool="false"/></Record></Annotation></EntitySet>`;

    expect(fieldsIn(draft(documentOf(entity('thing', property('count', 'Edm.Int32')), annotated)))).toEqual([
      'count: Int @column(sort: false)',
    ]);
  });

  test('is a code by its name and length, computed without a length, and a word in the language of the caller', () => {
    const inside = [
      property('number', 'Edm.String', ' MaxLength="20"'),
      property('country', 'Edm.String', ' MaxLength="10"'),
      property('phoneNumber', 'Edm.String', ' MaxLength="30"'),
      property('city', 'Edm.String', ' MaxLength="30"'),
      property('currencyCode', 'Edm.String'),
      property('state', 'Edm.String', ' MaxLength="9"'),
    ].join('');
    const csdl = documentOf(entity('thing', inside), things).replace(
      '<EntityContainer',
      '<Annotations Target="Test.thing/state"><Annotation Term="Org.OData.Core.V1.IsLanguageDependent" Bool="true"/></Annotations><EntityContainer',
    );

    expect(fieldsIn(draft(csdl))).toEqual([
      'number: String @column(kind: CODE)',
      'country: String @column(kind: CODE)',
      'phoneNumber: String',
      'city: String',
      'currencyCode: String @column(filter: false, sort: false)',
      'state: String @column(kind: WORD, filter: false, sort: false)',
    ]);
    expect(reviewIn(draft(csdl))).toContain('by name and length: number, country.');
  });

  test('that only filters can name, that is a file, or that is no column but an action, is left out', () => {
    const text = thingWith(
      property('dateFilter_FilterOnly', 'Edm.Date') + property('scan', 'Edm.Stream'),
      '<Action Name="post" IsBound="true"><Parameter Name="it" Type="Test.thing"/></Action>',
    );

    expect(fieldsIn(text)).toEqual([]);
    expect(reviewIn(text)).toContain('These files are left out: scan.');
    expect(reviewIn(text)).toContain('These actions are left out: post.');
  });

  test('is described by its name, and a decimal by what the metadata does not say', () => {
    expect(thingWith(property('unitPrice', 'Edm.Decimal'))).toContain(
      '  "Unit price, in units that the metadata does not name."\n  unitPrice: Decimal\n',
    );
  });

  test('of a choice lists its words, decoded; a blank one is the unset one', () => {
    const members = (...names: readonly string[]) => names.map((name) => `<Member Name="${name}"/>`).join('');
    const text = thingWith(
      property('kind', 'Test.Kind') + property('odd', 'Test.Odd'),
      `<EnumType Name="Kind">${members('_x0020_', 'Non_x002D_Inventory', 'None')}</EnumType>
       <EnumType Name="Odd">${members('A_x0007_', '_xD800_', 'B')}</EnumType>`,
    );

    expect(text).toContain(
      '  "Kind: `Non-Inventory`, `None`."\n  kind: String @column(kind: WORD_OR_BLANK)\n  "Odd: `B`."\n  odd: String @column(kind: WORD)\n',
    );
  });
});

describe('a record', () => {
  test.each([
    [
      'a key that names no column',
      '<Key><PropertyRef Name="a/b"/></Key>',
      'its key a/b is no column, and has to be a GUID.',
    ],
    [
      'a key of another type',
      `<Key><PropertyRef Name="code"/></Key>${property('code', 'Edm.String')}`,
      'its key code is of Edm.String, and has to be a GUID.',
    ],
    [
      'a key of two columns',
      '<Key><PropertyRef Name="a"/><PropertyRef Name="b"/></Key>',
      'its key has 2 columns, a, b, and has to be one GUID.',
    ],
  ])('with %s is refused', (_what, inside, reason) => {
    const csdl = documentOf(`<EntityType Name="thing">${inside}</EntityType>`, things);

    expect(() => draft(csdl)).toThrow(`things cannot be added: ${reason}`);
  });

  test('whose key has another name says so, and has it as `id`', () => {
    const csdl = documentOf(
      `<EntityType Name="thing"><Key><PropertyRef Name="OrderID"/></Key>${property('OrderID', 'Edm.Guid')}</EntityType>`,
      things,
    );

    expect(draft(csdl)).toContain('type Thing @record(set: "things", id: "OrderID")');
    expect(draft(csdl)).not.toContain('orderId');
  });

  test('is read only, and the review says which writes the metadata allows', () => {
    const inside = property('name', 'Edm.String');
    const silent = draft(documentOf(entity('thing', inside), things));
    const said = draft(documentOf(entity('thing', inside), restricted(true, true, false)));

    for (const text of [silent, said]) expect(text.replaceAll(/^#.*$/gm, '')).not.toContain('write');
    expect(reviewIn(silent)).toContain('the metadata does not say that it takes writes.');
    expect(reviewIn(said)).toContain('By the metadata it takes create, update:');
  });

  test('that says when it last changed is not watched, and the review says so', () => {
    const text = thingWith(property('lastModifiedDateTime', 'Edm.DateTimeOffset'));

    expect(text.replaceAll(/^#.*$/gm, '')).not.toContain('watch');
    expect(reviewIn(text)).toContain('Changes are not watched.');
  });

  test.each([
    ['is not in the document', '', /: the metadata has no entity type Test\.thing\.$/],
    ['has a base type', entity('thing', '', ' BaseType="Test.other"'), /: its type thing has a base type/],
  ])('whose type %s is refused', (_what, types, reason) => {
    expect(() => draft(documentOf(types, things))).toThrow(reason);
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
    expect(draft(csdl, { known: [knownType('Owner', 'owners')] })).toContain(
      '  "The owner, as a record; null where there is none."\n  owner: Owner @relation(key: "ownerId", expand: "owner")\n',
    );
    expect(draft(csdl)).not.toContain('@relation');
    expect(reviewIn(draft(csdl))).toContain('relations to what is not in the graph are left out: owner.');
  });

  test('to many is left out, and the review says how the list is made', () => {
    const listing = csdl.replace(
      `</EntityType><EntityType Name="thing">`,
      '<NavigationProperty Name="things" Type="Collection(Test.thing)" Partner="owner"/></EntityType><EntityType Name="thing">',
    );

    expect(reviewIn(draftOf(listing, 'owners'))).toContain(
      'these lists are left out: things. A field with `@list` makes each.',
    );
  });

  test('to one record without a constraint has its id by its name', () => {
    const inside = `${property('ownerId', 'Edm.Guid')}<NavigationProperty Name="owner" Type="Test.owner"/>`;
    const known = [knownType('Owner', 'owners')];

    expect(draft(documentOf(owner + entity('thing', inside), things + owners), { known })).toContain(
      'owner: Owner @relation(key: "ownerId", expand: "owner")',
    );
  });

  test('to one record has no id of another type than the column', () => {
    const known = [knownType('Owner', 'owners')];

    expect(
      draft(csdl.replace('"ownerId" Type="Edm.Guid"', '"ownerId" Type="Edm.Int32"'), { known }),
    ).toContain('owner: Owner @relation(expand: "owner")');
  });

  test('to the company is no relation: every record has its company already', () => {
    const known = [{ ...knownType('Company', 'owners'), isTarget: false }];

    expect(draft(csdl, { known })).not.toContain('@relation');
  });

  test('to what is contained and has no entity set is rows, with an id that is a GUID', () => {
    const part = entity('part', property('name', 'Edm.Int32'));
    const inside = '<NavigationProperty Name="parts" Type="Collection(Test.part)" ContainsTarget="true"/>';
    const text = draft(documentOf(part + entity('thing', inside), things));

    expect(fieldsIn(text)).toEqual(['parts: [Part!] @relation(expand: "parts")', 'id: UUID', 'name: Int']);
    expect(text).toContain('"One part of a thing."\ntype Part {');
  });

  test('to rows whose id is no GUID calls it otherwise', () => {
    const line = '<EntityType Name="line"><Property Name="id" Type="Edm.Int32"/></EntityType>';
    const inside = '<NavigationProperty Name="lines" Type="Collection(Test.line)" ContainsTarget="true"/>';

    expect(fieldsIn(draft(documentOf(line + entity('thing', inside), things)))).toContain(
      'idValue: Int @column(name: "id")',
    );
  });

  test('to lines of a document alone is rows', () => {
    const line = entity(
      'thingLine',
      '<NavigationProperty Name="thing" Type="Test.thing" Partner="thingLines" ContainsTarget="true"/>',
    );
    const inside =
      '<NavigationProperty Name="thingLines" Type="Collection(Test.thingLine)" Partner="thing" ContainsTarget="true"/>';
    const lines = '<EntitySet Name="thingLines" EntityType="Test.thingLine"/>';
    const text = documentOf(line + entity('thing', inside), things + lines);
    const shared = entity('other', '<NavigationProperty Name="x" Type="Collection(Test.thingLine)"/>');

    expect(draft(text)).toContain('type ThingLine {');
    expect(draft(text.replace('<EntityContainer', `${shared}<EntityContainer`))).not.toContain('ThingLine {');
  });
});
