import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type RecordFile, recordFile } from '../../../src/business/record-files/record-file.ts';
import { recordTypes } from '../../../src/business/records/index.ts';
import { draftOf, knownType, publishedMetadata } from '../../support/cases/metadata.ts';

const folder = new URL('../../../schema/records/', import.meta.url);
const names = readdirSync(folder).sort();
const files = names.map((name) => recordFile.parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8'))));
const known = [...recordTypes, ...files].map(({ type, entitySet }) => knownType(type, entitySet));
const csdl = publishedMetadata();
const drafts = new Map(
  files.map(({ entitySet }) => [entitySet, draftOf(csdl, entitySet, { known }).file] as const),
);

type Fields = RecordFile['fields'];
/** What the metadata says of columns. */
const shapes = (fields: Fields) =>
  Object.entries(fields).map(([name, { kind, column, canFilter, canSort }]) => [
    column ?? name,
    kind,
    canFilter,
    canSort,
  ]);
/** The words that descriptions of choices list. */
const wordsOf = (fields: Fields = {}) =>
  Object.entries(fields).flatMap(([name, { kind, description }]) =>
    kind === 'word' || kind === 'wordOrBlank'
      ? [[name, new Set(description.match(/(?<=`)[A-Z][^`]*(?=`)/g))] as const]
      : [],
  );

test('each file is named like its entity set', () => {
  expect(names).toEqual(files.map(({ entitySet }) => `${entitySet}.json`));
  expect(files.length).toBeGreaterThan(6);
});

describe.each(files.map((file) => [file.entitySet, file] as const))('%s', (entitySet, file) => {
  const draft = drafts.get(entitySet);

  test('has the columns, words and navigations of the published metadata', () => {
    const drafted = { ...draft?.fields };
    // The service computes it, which its metadata does not say.
    const computed = drafted.currentFiscalYearStartDate;
    if (computed) drafted.currentFiscalYearStartDate = { ...computed, canFilter: false, canSort: false };
    expect(shapes(file.fields)).toEqual(shapes(drafted));
    expect(wordsOf(file.fields)).toEqual(wordsOf(draft?.fields));
    for (const [name, row] of Object.entries(file.rows ?? {})) {
      const rows = draft?.rows?.[name];
      expect(shapes(row.fields)).toEqual(shapes(rows?.fields ?? {}));
      expect(wordsOf(row.fields)).toEqual(wordsOf(rows?.fields));
      expect(row.navigation).toBe(rows?.navigation);
    }
    for (const { navigation } of Object.values(file.relations ?? {}))
      if (navigation !== undefined)
        expect(Object.values(draft?.relations ?? {}).map((one) => one.navigation)).toContain(navigation);
  });

  test('says everything in sentences', () => {
    const descriptions = [
      file.description,
      ...Object.values(file.fields).map(({ description }) => description),
      ...Object.values(file.rows ?? {}).flatMap((row) => [row.description, row.rowDescription]),
    ];
    for (const description of descriptions) expect(description).toMatch(/^[A-Z].*\.$/);
  });
});

test('decimals say what they are, with a currency beside those that are money', () => {
  const places = files.flatMap(({ type, fields, rows = {} }) => [
    { place: type, fields, all: Object.keys(fields), isRecord: true },
    ...Object.values(rows).map((row) => ({
      place: row.type,
      fields: row.fields,
      all: [...Object.keys(row.fields), ...Object.keys(row.ownerFields ?? {})],
      isRecord: false,
    })),
  ]);
  for (const { place, fields, all, isRecord } of places)
    for (const [name, { kind, description }] of Object.entries(fields)) {
      if (kind !== 'decimal') continue;
      expect(description, `${place}.${name}`).toMatch(/\bcurrency\b|per cent\b|\bunits?\b|\brate\b/);
      if (/\bcurrency\b/.test(description) && !/home currency/.test(description))
        expect(all, `${place}.${name}`).toContain('currencyCode');
      // Only records lead to their company.
      if (/home currency/.test(description)) expect(isRecord, `${place}.${name}`).toBe(true);
    }
});

test('no two types or fields of companies have one name, and none is in the graph already', () => {
  const own = files.flatMap(({ type, rows = {} }) => [type, ...Object.values(rows).map((row) => row.type)]);
  const ofCompany = files.flatMap((file) => Object.values(file.names));
  const taken = recordTypes.flatMap(({ type, names: fields }) => [type, ...Object.values(fields ?? {})]);

  for (const list of [own, ofCompany]) {
    expect(new Set(list).size).toBe(list.length);
    expect(list.filter((name) => taken.includes(name))).toEqual([]);
  }
});

test('vendors lead to purchase orders, these to lines, and these to items', () => {
  const fileOf = (entitySet: string) => files.find((file) => file.entitySet === entitySet);
  const orders = fileOf('purchaseOrders');

  expect(orders?.listedBy?.Vendor?.fields).toEqual({ vendorId: 'id' });
  expect(orders?.relations?.vendor).toMatchObject({ type: 'Vendor', idField: 'vendorId' });
  expect(orders?.rows?.purchaseOrderLines?.relations?.item).toMatchObject({
    type: 'Item',
    idField: 'itemId',
    navigation: 'item',
  });
});
