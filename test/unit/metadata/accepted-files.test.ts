import { expect, test } from 'vitest';
import { productRecordTypes } from '../../../src/app/schema/product-record-types.ts';
import { readDefinitions } from '../../../src/app/schema/sdl.ts';
import { listNames } from '../../../src/business/record-files/file-rules.ts';
import type { RecordFile } from '../../../src/business/record-files/record-file.ts';
import { addRecordFiles } from '../../../src/business/record-files/record-type-list.ts';
import { documentOf, draftAll, draftOf, graphOfTypes } from '../../support/cases/metadata.ts';

const product = productRecordTypes();
const names = new Set(listNames(readDefinitions(product)));
const graph = graphOfTypes(product.recordTypes, [...names]);

/** The files of a document, all of which the graph takes. */
function accept(csdl: string, sets: readonly string[]) {
  const { files } = draftAll(csdl, sets, { route: 'contoso/app/v1.0', graph });
  expectAccepted(files);
  return files;
}

function expectAccepted(files: readonly RecordFile[]): void {
  const texts = files.map((file, at) => ({ file: `${at}.json`, text: JSON.stringify(file) }));
  expect(addRecordFiles(product, texts, () => names)).not.toHaveProperty('mistakes');
}

const property = (name: string, type: string, inside = '') =>
  `<Property Name="${name}" Type="${type}">${inside}</Property>`;
const entity = (name: string, key: string, inside: string) =>
  `<EntityType Name="${name}"><Key><PropertyRef Name="${key}"/></Key>${inside}</EntityType>`;
const guid = property('id', 'Edm.Guid');
const setOf = (name: string, type: string, inside = '') =>
  `<EntitySet Name="${name}" EntityType="Test.${type}">${inside}</EntitySet>`;
const fieldNames = (file: RecordFile | undefined) => Object.keys(file?.fields ?? {});

test('columns that are called as filters join conditions have other names', () => {
  const columns = ['and', 'or', 'not'].map((name) => property(name, 'Edm.Int32'));
  const [file] = accept(
    documentOf(entity('thing', 'id', guid + columns.join('')), setOf('things', 'thing')),
    ['things'],
  );

  expect(fieldNames(file)).toEqual(['andValue', 'orValue', 'notValue']);
});

test('a number of another company is not called like one of the company of the graph', () => {
  const [file] = accept(
    documentOf(
      entity('thing', 'id', guid + property('companyNumber', 'Edm.String')),
      setOf('things', 'thing'),
    ),
    ['things'],
  );

  expect(file?.fields.companyNumberValue).toMatchObject({ column: 'companyNumber' });
});

test('a choice has a name that is free with `Raw` behind it, too', () => {
  const [file] = accept(
    documentOf(
      `${entity('thing', 'id', guid + property('statusRaw', 'Test.Word') + property('status', 'Test.Word'))}<EnumType Name="Word"><Member Name="A"/></EnumType>`,
      setOf('things', 'thing'),
    ),
    ['things'],
  );

  expect(fieldNames(file)).toEqual(['statusRaw', 'status2']);
});

test('a type without a letter of GraphQL is called as it is in texts', () => {
  const [file] = accept(documentOf(entity('Запись', 'id', guid), setOf('Записи', 'Запись')), ['Записи']);

  expect(file).toMatchObject({ type: 'RecordRecord', texts: { one: 'a Запись' } });
});

const lineOf = (columns: string) =>
  `${entity('line', 'ID', property('ID', 'Edm.Int32') + columns)}${entity(
    'thing',
    'id',
    `${guid + property('currencyCode', 'Test.Word')}<NavigationProperty Name="lines" Type="Collection(Test.line)" ContainsTarget="true"/>`,
  )}<EnumType Name="Word"><Member Name="A"/></EnumType>`;

test('a row has a field `id` only for a GUID of this name', () => {
  const [file] = accept(documentOf(lineOf(''), setOf('things', 'thing')), ['things']);

  expect(Object.entries(file?.rows?.lines?.fields ?? {}).map(([name, { column }]) => [name, column])).toEqual(
    [['idValue', 'ID']],
  );
});

test('rows do not show the currency of a record that has no code, but a choice', () => {
  const [file] = accept(documentOf(lineOf(property('amount', 'Edm.Decimal')), setOf('things', 'thing')), [
    'things',
  ]);

  expect(file?.rows?.lines?.ownerFields).toBeUndefined();
  // The company, whose currency it may be, is a field of records.
  expect(file?.rows?.lines?.fields.amount?.description).toBe(
    'Amount, in units that the metadata does not name.',
  );
});

const owning = (column: string, ownKey: string) =>
  documentOf(
    entity(
      'owner',
      'id',
      `${guid + property('company', 'Edm.Int32')}<NavigationProperty Name="things" Type="Collection(Test.thing)" Partner="owner"/>`,
    ) +
      entity(
        'thing',
        'id',
        `${guid + property('ownerRef', column)}<NavigationProperty Name="owner" Type="Test.owner" Partner="things"><ReferentialConstraint Property="ownerRef" ReferencedProperty="${ownKey}"/></NavigationProperty>`,
      ),
    setOf('owners', 'owner') + setOf('things', 'thing'),
  );

test('columns of different kinds lead nowhere: the navigation alone does', () => {
  const [, things] = accept(owning('Edm.String', 'id'), ['owners', 'things']);

  expect(things?.relations?.owner).toMatchObject({ type: 'Owner', navigation: 'owner' });
  expect(things?.relations?.owner?.idField).toBeUndefined();
});

test('a navigation to the company is no relation: every record has its company already', () => {
  const csdl = documentOf(
    entity('company', 'id', guid) +
      entity('thing', 'id', `${guid}<NavigationProperty Name="owner" Type="Test.company"/>`),
    setOf('companies', 'company') + setOf('things', 'thing'),
  );
  const { file, review } = draftOf(csdl, 'things', { graph });

  expect(file.relations).toBeUndefined();
  expect(review.join()).toContain('not in the graph: owner (companies)');
});

test('navigations to types of another document are left out', () => {
  const foreign = ['Foreign.Type', 'Collection(Foreign.Type)'].map(
    (type, at) => `<NavigationProperty Name="to${at}" Type="${type}" ContainsTarget="true"/>`,
  );
  const csdl = documentOf(entity('thing', 'id', guid + foreign.join('')), setOf('things', 'thing')).replace(
    '<edmx:DataServices>',
    '<edmx:Reference Uri="foreign.xml"><edmx:Include Namespace="Foreign"/></edmx:Reference><edmx:DataServices>',
  );
  const [file] = accept(csdl, ['things']);
  const { review } = draftOf(csdl, 'things');

  expect(file).not.toHaveProperty('relations');
  expect(file).not.toHaveProperty('rows');
  expect(review.join()).toMatch(/not in the graph: to0\..*the lists to1\./s);
});

test('files that are made later leave the names of all those before: fields of companies, and types of rows', () => {
  const first = draftAll(
    documentOf(lineOf('') + entity('Orders', 'id', guid), setOf('things', 'thing') + setOf('x', 'Orders')),
    ['things', 'x'],
    { route: 'contoso/g0/v1.0', graph },
  );
  const later = draftAll(
    documentOf(
      entity('order', 'id', guid) + entity('Line', 'id', guid),
      setOf('orders', 'order') + setOf('Lines', 'Line'),
    ),
    ['orders', 'Lines'],
    { route: 'contoso/g2/v1.0', graph: first.graph },
  );
  const all = [...first.files, ...later.files];

  expectAccepted(all);
  expect(all.map(({ type }) => type)).toEqual(['Thing', 'Orders', 'Order', 'G2Line']);
  expect(all.map(({ names: { many } }) => many)).toEqual(['things', 'orderses', 'orders2', 'g2Lines']);
});
