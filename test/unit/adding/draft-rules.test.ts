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
    ['OrderID', 'orderId'],
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

  test('that only filters can name, that is a file, or that is no column but an action, is left out', () => {
    const text = thingWith(
      property('dateFilter_FilterOnly', 'Edm.Date') + property('scan', 'Edm.Stream'),
      '<Action Name="post" IsBound="true"><Parameter Name="it" Type="Test.thing"/></Action>',
    );

    expect(fieldsIn(text)).toEqual([]);
    expect(reviewIn(text)).toContain('These files are left out: scan.');
    expect(reviewIn(text)).toContain('These actions are left out: post.');
  });
});

describe('a record', () => {
  test.each([
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

  test('whose type has a base type is refused', () => {
    const csdl = documentOf(entity('thing', '', ' BaseType="Test.other"'), things);

    expect(() => draft(csdl)).toThrow(/: its type thing has a base type/);
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
});
