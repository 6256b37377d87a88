import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type DocumentNode, Kind, type NamedTypeNode, parse, print, visit } from 'graphql';
import { draftDeclaration, type KnownType } from '../../../src/adding/draft.ts';
import { parseMetadata } from '../../../src/adding/metadata.ts';
import {
  collectDeclarations,
  type Declarations,
  type DeclaredType,
  namesOf,
} from '../../../src/business/declarations/declarations.ts';
import type { DeclarationText } from '../../../src/business/declarations/read-files.ts';

const read = (file: string) => readFileSync(new URL(`../../fixtures/metadata/${file}`, import.meta.url));

/** The metadata of Business Central, as it was published. */
export const publishedMetadata = (): string => gunzipSync(read('business-central.xml.gz')).toString();

/** The entity sets of a `$metadata` document whose records are known by one GUID. */
function entitySetsOf(csdl: string): readonly string[] {
  const { entitySets, entityTypes } = parseMetadata(csdl);
  return [...entitySets.values()].flatMap(({ name, type }) => {
    const { key = [], properties = [] } = entityTypes.get(type) ?? {};
    const isGuid = properties.some((each) => each.name === key[0] && each.type === 'Edm.Guid');
    return key.length === 1 && isGuid ? [name] : [];
  });
}

export const knownType = (type: string, entitySet: string): KnownType => ({
  type,
  entitySet,
  route: 'v2.0',
  names: { one: '', many: '' },
});

export const draftOf = (
  csdl: string,
  entitySet: string,
  { route = 'v2.0', known = [] as readonly KnownType[] } = {},
): string => draftDeclaration(parseMetadata(csdl), entitySet, { route, known });

export const declarationsOf = (...texts: readonly string[]): Declarations =>
  collectDeclarations(texts.map((text, at) => ({ file: `${at}.graphql`, document: parse(text) })));

/** The type of the records that a text declares. */
export function recordOf(text: string): DeclaredType {
  const type = [...declarationsOf(text).types.values()].find(({ record }) => record);
  if (!type) throw new Error('It declares no records.');
  return type;
}

/** The drafts of entity sets, made one after another; relations lead to those before. */
export function draftAll(
  csdl: string,
  entitySets: readonly string[],
  { route = 'v2.0', known = [] as readonly KnownType[] } = {},
): readonly DeclarationText[] {
  const metadata = parseMetadata(csdl);
  const texts: DeclarationText[] = [];
  const drafted: KnownType[] = [];
  for (const entitySet of entitySets) {
    const text = draftDeclaration(metadata, entitySet, { route, known: [...known, ...drafted] });
    texts.push({ file: `${entitySet}.graphql`, text });
    drafted.push({ ...knownType(recordOf(text).name, entitySet), route });
  }
  return texts;
}

/** The entity sets that one graph can have: without the lines of documents, whose type comes with these. */
export function entitySetsOfGraph(csdl: string): readonly string[] {
  const drafts = draftAll(csdl, entitySetsOf(csdl)).map(({ text }) => declarationsOf(text).types);
  const rows = new Set(
    drafts.flatMap((types) => [...types.values()].filter(({ record }) => !record)).map(({ name }) => name),
  );
  return drafts.flatMap((types) =>
    [...types.values()].flatMap(({ name, record }) => (record && !rows.has(name) ? [record.set] : [])),
  );
}

/** The same texts with a prefix before all names of the graph, as a person chooses others where the graph has them. */
export function renameAll(texts: readonly DeclarationText[], prefix: string): readonly DeclarationText[] {
  const parsed = texts.map(({ file, text }) => ({ file, document: parse(text) }));
  const { types } = collectDeclarations(parsed);
  const upper = prefix.charAt(0).toUpperCase() + prefix.slice(1);
  const field = (name = '') => `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const string = (value: string) => ({ kind: Kind.STRING, value }) as const;
  const renameType = (node: NamedTypeNode) =>
    types.has(node.name.value)
      ? { ...node, name: { ...node.name, value: `${upper}${node.name.value}` } }
      : undefined;
  const rename = (document: DocumentNode): DocumentNode =>
    visit(document, {
      ObjectTypeDefinition(node) {
        const type = types.get(node.name.value);
        const { many } = type ? namesOf(type) : {};
        return {
          ...node,
          name: { ...node.name, value: `${upper}${node.name.value}` },
          directives: (node.directives ?? []).map((directive) =>
            directive.name.value === 'record'
              ? {
                  ...directive,
                  arguments: [
                    ...(directive.arguments ?? []).filter(
                      ({ name }) => !['one', 'many'].includes(name.value),
                    ),
                    {
                      kind: Kind.ARGUMENT,
                      name: { kind: Kind.NAME, value: 'many' },
                      value: string(field(many)),
                    } as const,
                  ],
                }
              : directive,
          ),
        };
      },
      // A type of the metadata may be called `String`.
      FieldDefinition: (node) =>
        node.directives?.some(({ name }) => name.value === 'relation')
          ? { ...node, type: visit(node.type, { NamedType: renameType }) }
          : undefined,
    });
  return parsed.map(({ file, document }) => ({ file, text: print(rename(document)) }));
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
