import { readTargetedAnnotations } from './annotations.ts';
import { isDefaultContainer, readAssociations } from './associations.ts';
import { checkModel } from './check-model.ts';
import { addAssociatedBindings, readBoundActions, readEntitySets } from './container.ts';
import { MetadataError } from './metadata-error.ts';
import type { Annotations, AnnotationValue, Model } from './model.ts';
import { attribute, childrenOf, requireDistinct } from './names.ts';
import { readTypes, type SchemaContext } from './types.ts';
import { parseXml, type XmlElement } from './xml.ts';

/** Of `<Edmx>`: OData 4 and 4.01, and 2 and 3. */
const edmxNamespaces = new Set([
  'http://docs.oasis-open.org/odata/ns/edmx',
  'http://schemas.microsoft.com/ado/2007/06/edmx',
]);

/** Of `<Schema>`: OData 4 and 4.01, then the versions 1 to 3. */
const edmNamespaces = new Set([
  'http://docs.oasis-open.org/odata/ns/edm',
  'http://schemas.microsoft.com/ado/2009/11/edm',
  'http://schemas.microsoft.com/ado/2009/08/edm',
  'http://schemas.microsoft.com/ado/2008/09/edm',
  'http://schemas.microsoft.com/ado/2008/01/edm',
  'http://schemas.microsoft.com/ado/2007/05/edm',
  'http://schemas.microsoft.com/ado/2006/04/edm',
]);

/** The namespace in which Business Central defines what it serves. */
const businessCentralNamespace = 'Microsoft.NAV';

/** Reads a `$metadata` document (CSDL as XML). Throws a `MetadataError` that names the line and the reason. */
export function parseMetadata(source: string | Uint8Array): Model {
  const root = parseXml(source);
  if (root.name !== 'Edmx' || !edmxNamespaces.has(root.namespace))
    throw new MetadataError(
      root.line,
      `the document begins with <${root.name}> of ${JSON.stringify(root.namespace)}, not with <Edmx>: is it the response of $metadata?`,
    );
  const [services] = childrenOf(root, 'DataServices');
  if (!services) throw new MetadataError(root.line, '<Edmx> has no <DataServices>.');
  const schemas = childrenOf(services, 'Schema');
  const [first] = schemas;
  if (!first) throw new MetadataError(services.line, '<DataServices> has no <Schema>.');
  const unknown = schemas.find(({ namespace }) => !edmNamespaces.has(namespace));
  if (unknown)
    throw new MetadataError(
      unknown.line,
      `<Schema> is of ${JSON.stringify(unknown.namespace)}, which is no version of OData.`,
    );
  return readModel(root, schemas, attribute(root, 'Version'));
}

function readModel(root: XmlElement, schemas: readonly XmlElement[], version: string): Model {
  const { aliases, foreignNamespaces } = readReferences(root, schemas);
  const names = {
    qualify(name: string) {
      const at = name.lastIndexOf('.');
      const namespace = aliases.get(name.slice(0, Math.max(at, 0)));
      return namespace === undefined ? name : `${namespace}${name.slice(at)}`;
    },
  };
  const byNamespace = schemas.map((schema) => [schema, attribute(schema, 'Namespace')] as const);
  const targeted = mergeTargets(schemas.map((schema) => readTargetedAnnotations(schema, names)));
  const navigation = readAssociations(byNamespace, names);
  const none: Annotations = new Map();
  const contexts = byNamespace.map(([schema, namespace]): readonly [XmlElement, SchemaContext] => [
    schema,
    { ...names, namespace, navigation, annotationsOf: (target) => targeted.get(target) ?? none },
  ]);
  const types = contexts.flatMap(([schema, context]) => readTypes(schema, context));
  const containers = contexts.flatMap(([schema, context]) =>
    childrenOf(schema, 'EntityContainer').map((container) => [container, context] as const),
  );
  const defaults = containers.filter(([element]) => isDefaultContainer(element));
  if (defaults.length !== 1)
    // Which of two sets an address names is then not known.
    requireDistinct(
      containers.flatMap((each) => readEntitySets(...each)),
      'the entity set',
    );
  const [container, context] = defaults[0] ?? containers[0] ?? [];
  if (!container || !context)
    throw new MetadataError(root.line, 'there is no <EntityContainer>, and so no entity set.');
  const sets = addAssociatedBindings(readEntitySets(container, context), container, schemas, context);
  const model: Model = {
    version,
    types: new Map(types.map((type) => [type.fullName, type])),
    foreignNamespaces,
    entitySets: new Map(sets.map((set) => [set.name, set])),
    actions: contexts.flatMap(([schema, each]) => readBoundActions(schema, each)),
    isBusinessCentral: byNamespace.some(([, namespace]) => namespace === businessCentralNamespace),
  };
  checkModel(model, types);
  return model;
}

/** Short names of namespaces, of this document and of those that it refers to. */
function readReferences(root: XmlElement, schemas: readonly XmlElement[]) {
  const included = childrenOf(root, 'Reference').flatMap((reference) => childrenOf(reference, 'Include'));
  const aliases = new Map<string, string>();
  for (const element of [...included, ...schemas]) {
    const alias = element.attributes.get('Alias');
    if (alias !== undefined) aliases.set(alias, attribute(element, 'Namespace'));
  }
  return { aliases, foreignNamespaces: new Set(included.map((each) => attribute(each, 'Namespace'))) };
}

function mergeTargets(
  maps: readonly ReadonlyMap<string, Annotations>[],
): ReadonlyMap<string, ReadonlyMap<string, AnnotationValue>> {
  const merged = new Map<string, Annotations>();
  for (const [target, annotations] of maps.flatMap((map) => [...map]))
    merged.set(target, new Map([...(merged.get(target) ?? []), ...annotations]));
  return merged;
}
