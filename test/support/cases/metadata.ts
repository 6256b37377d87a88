import { readFileSync } from 'node:fs';
import type { RecordFile } from '../../../src/business/record-files/record-file.ts';
import type { RecordTypeDescriptor } from '../../../src/business/record-type.ts';
import { entityType, hasGuidKey } from '../../../src/metadata/csdl/model.ts';
import { parseMetadata } from '../../../src/metadata/csdl/parse-metadata.ts';
import {
  draftRecordFile,
  type ExistingGraph,
  type KnownType,
  type RecordFileDraft,
} from '../../../src/metadata/draft-record-file.ts';

/** The published metadata of Business Central in test/fixtures/metadata. */
export const publishedMetadata = (): string =>
  readFileSync(new URL('../../fixtures/metadata/business-central.xml', import.meta.url), 'utf8');

/** The entity sets of a `$metadata` document whose records are known by a GUID `id`. */
export function entitySetsOf(csdl: string): readonly string[] {
  const model = parseMetadata(csdl);
  return [...model.entitySets.values()].flatMap(({ name, type, isSingleton }) =>
    !isSingleton && hasGuidKey(model, entityType(model, type)) ? [name] : [],
  );
}

export const knownType = (type: string, entitySet: string): KnownType => ({
  type,
  entitySet,
  route: 'v2.0',
  isTarget: true,
});

/** A graph with these types. */
export const graphWith = (
  known: readonly KnownType[] = [],
  types: readonly string[] = [],
  fieldsOfCompany: readonly string[] = [],
): ExistingGraph => ({
  known,
  types: new Set([...types, ...known.map(({ type }) => type)]),
  fieldsOfCompany: new Set(fieldsOfCompany),
});

/** A graph with the record types of descriptors; `types` are the names of all others. */
export const graphOfTypes = (
  recordTypes: readonly RecordTypeDescriptor[],
  types: readonly string[] = [],
): ExistingGraph =>
  graphWith(
    recordTypes.map(({ type, entitySet, route, names }) => ({
      type,
      entitySet,
      route,
      isTarget: names !== undefined,
    })),
    types,
    recordTypes.flatMap(({ names }) => Object.values(names ?? {})),
  );

export const draftOf = (
  csdl: string,
  entitySet: string,
  { route = 'v2.0', graph = graphWith() } = {},
): RecordFileDraft => draftRecordFile(parseMetadata(csdl), entitySet, { route, graph });

/** The record files of entity sets, made one after another; each is in the graph of those that follow. */
export function draftAll(
  csdl: string,
  entitySets: readonly string[],
  { route = 'v2.0', graph = graphWith() } = {},
): { readonly files: readonly RecordFile[]; readonly graph: ExistingGraph } {
  const model = parseMetadata(csdl);
  const files: RecordFile[] = [];
  let all = graph;
  for (const entitySet of entitySets) {
    const { file } = draftRecordFile(model, entitySet, { route, graph: all });
    files.push(file);
    all = addToGraph(all, file);
  }
  return { files, graph: all };
}

const addToGraph = (
  { known, types, fieldsOfCompany }: ExistingGraph,
  { type, entitySet, route, names, rows = {}, enums = {} }: RecordFile,
): ExistingGraph => ({
  known: [...known, { type, entitySet, route, isTarget: true }],
  types: new Set([...types, type, ...Object.values(rows).map((row) => row.type), ...Object.keys(enums)]),
  fieldsOfCompany: new Set([...fieldsOfCompany, ...Object.values(names).flatMap((name) => name ?? [])]),
});

/** A document of OData 4 with one schema `Test`. */
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

const businessCentral = (csdl: string): string => csdl.replaceAll('Test', 'Microsoft.NAV');

/** The same as Business Central writes it. */
export const businessCentralDocument = (types: string, sets: string): string =>
  businessCentral(documentOf(types, sets));
