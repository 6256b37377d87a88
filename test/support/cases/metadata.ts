import { readFileSync } from 'node:fs';
import { parseMetadata } from '../../../src/metadata/csdl/parse-metadata.ts';
import type { DraftOptions, KnownType } from '../../../src/metadata/draft-record-files.ts';

/** The published metadata of test/fixtures/metadata. */
export const services = ['business-central', 'bookshop', 'northwind', 'trippin'] as const;

export const metadataOf = (service: (typeof services)[number]): string =>
  readFileSync(new URL(`../../fixtures/metadata/${service}.xml`, import.meta.url), 'utf8');

/** The entity sets of a `$metadata` document, without singletons. */
export const entitySetsOf = (csdl: string): readonly string[] =>
  [...parseMetadata(csdl).entitySets.values()].flatMap(({ name, isSingleton }) =>
    isSingleton ? [] : [name],
  );

export const draftOptions = (options: Partial<DraftOptions> = {}): DraftOptions => ({
  route: 'v2.0',
  known: [],
  date: '2026-11-25',
  source: 'a test',
  ...options,
});

export const knownType = (type: string, entitySet: string): KnownType => ({
  type,
  entitySet,
  route: 'v2.0',
  names: [type, entitySet].map((name) => name.charAt(0).toLowerCase() + name.slice(1)),
  innerTypes: [],
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
