import { readFileSync } from 'node:fs';
import {
  draftRecordFile,
  type KnownType,
  type RecordFileDraft,
} from '../../../src/adding/draft-record-file.ts';
import { parseMetadata } from '../../../src/adding/metadata.ts';
import type { RecordFile } from '../../../src/business/record-files/record-file.ts';

/** The published metadata of Business Central in test/fixtures/metadata. */
export const publishedMetadata = (): string =>
  readFileSync(new URL('../../fixtures/metadata/business-central.xml', import.meta.url), 'utf8');

/** The entity sets of a `$metadata` document whose records are known by a GUID `id`. */
export function entitySetsOf(csdl: string): readonly string[] {
  const { entitySets, entityTypes } = parseMetadata(csdl);
  return [...entitySets.values()].flatMap(({ name, type }) => {
    const { key = [], properties = [] } = entityTypes.get(type) ?? {};
    const isGuid = properties.some((each) => each.name === 'id' && each.type === 'Edm.Guid');
    return key.join() === 'id' && isGuid ? [name] : [];
  });
}

export const knownType = (type: string, entitySet: string): KnownType => ({
  type,
  entitySet,
  route: 'v2.0',
  isTarget: true,
});

export const draftOf = (
  csdl: string,
  entitySet: string,
  { route = 'v2.0', known = [] as readonly KnownType[] } = {},
): RecordFileDraft => draftRecordFile(parseMetadata(csdl), entitySet, { route, known });

/** The record files of entity sets, made one after another; relations lead to those before. */
export function draftAll(
  csdl: string,
  entitySets: readonly string[],
  { route = 'v2.0', known = [] as readonly KnownType[] } = {},
): readonly RecordFile[] {
  const metadata = parseMetadata(csdl);
  const files: RecordFile[] = [];
  for (const entitySet of entitySets) {
    const drafted = files.map((file) => ({ ...knownType(file.type, file.entitySet), route }));
    files.push(draftRecordFile(metadata, entitySet, { route, known: [...known, ...drafted] }).file);
  }
  return files;
}

/** The entity sets that one graph can have: without the lines of documents, whose type comes with these. */
export function entitySetsOfGraph(csdl: string): readonly string[] {
  const files = draftAll(csdl, entitySetsOf(csdl));
  const ofRows = new Set(files.flatMap(({ rows = {} }) => Object.values(rows).map(({ type }) => type)));
  return files.flatMap(({ type, entitySet }) => (ofRows.has(type) ? [] : [entitySet]));
}

/** The same files with a prefix before all names of the graph, as a person chooses others where the graph has them. */
export function renameAll(files: readonly RecordFile[], prefix: string): readonly RecordFile[] {
  const own = new Set(files.map(({ type }) => type));
  const upper = prefix.charAt(0).toUpperCase() + prefix.slice(1);
  const field = (name: string) => `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const rename = <T>(
    named: Record<string, T> | undefined,
    key: (name: string) => string,
    change: (one: T) => T,
  ) => named && Object.fromEntries(Object.entries(named).map(([name, one]) => [key(name), change(one)]));
  const same = (name: string) => name;
  const relations = (named: RecordFile['relations']) =>
    rename(named, same, (one) => (own.has(one.type) ? { ...one, type: `${upper}${one.type}` } : one));
  const changed = files.map((file) => ({
    ...file,
    type: `${upper}${file.type}`,
    names: {
      one: field(file.names.one),
      many: field(file.names.many),
      ...(file.names.byNumber && { byNumber: field(file.names.byNumber) }),
    },
    relations: relations(file.relations),
    rows: rename(file.rows, same, (one) => ({
      ...one,
      type: `${upper}${one.type}`,
      relations: relations(one.relations),
    })),
  }));
  return JSON.parse(JSON.stringify(changed));
}

/** A `$metadata` document with one schema `Test`. */
export const documentOf = (
  types: string,
  sets: string,
  attributes = '',
): string => `<?xml version="1.0" encoding="utf-8"?>
<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">
<edmx:DataServices>
<Schema Namespace="Test" xmlns="http://docs.oasis-open.org/odata/ns/edm"${attributes}>
${types}
<EntityContainer Name="Container">
${sets}
</EntityContainer>
</Schema>
</edmx:DataServices>
</edmx:Edmx>`;
