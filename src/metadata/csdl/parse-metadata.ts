import { readAnnotations, readTargetedAnnotations } from './annotations.ts';
import { checkModel } from './check-model.ts';
import type {
  Annotations,
  AnnotationValue,
  BoundAction,
  ComplexType,
  Constraint,
  CsdlType,
  EntitySet,
  EntityType,
  EnumType,
  Model,
  Navigation,
  Property,
  TypeDefinition,
} from './model.ts';
import {
  attribute,
  booleanOf,
  childrenOf,
  maxLengthOf,
  memberNameOf,
  type NameReader,
  nameOf,
  requireDistinct,
  typeReference,
} from './names.ts';
import { MetadataError, parseXml, type XmlElement } from './xml.ts';

const edmxNamespace = 'http://docs.oasis-open.org/odata/ns/edmx';
const edmNamespace = 'http://docs.oasis-open.org/odata/ns/edm';

/** The namespace in which Business Central defines what it serves. */
const businessCentralNamespace = 'Microsoft.NAV';

/** Reads a `$metadata` document (CSDL as XML, OData 4 and 4.01). Throws a `MetadataError` that names the line and the reason. */
export function parseMetadata(source: string | Uint8Array): Model {
  const root = parseXml(source);
  if (root.name !== 'Edmx' || root.namespace !== edmxNamespace)
    throw new MetadataError(
      root.line,
      `the document begins with <${root.name}> of ${JSON.stringify(root.namespace)}, not with <Edmx>: is it the response of $metadata?`,
    );
  const [services] = childrenOf(root, 'DataServices');
  if (!services) throw new MetadataError(root.line, '<Edmx> has no <DataServices>.');
  const schemas = childrenOf(services, 'Schema');
  const [first] = schemas;
  if (!first) throw new MetadataError(services.line, '<DataServices> has no <Schema>.');
  const unknown = schemas.find(({ namespace }) => namespace !== edmNamespace);
  if (unknown)
    throw new MetadataError(
      unknown.line,
      `<Schema> is of ${JSON.stringify(unknown.namespace)}, which is no version of OData that is read: 4 and 4.01 are.`,
    );
  return readModel(root, schemas);
}

function readModel(root: XmlElement, schemas: readonly XmlElement[]): Model {
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
  const none: Annotations = new Map();
  const contexts = byNamespace.map(([schema, namespace]): readonly [XmlElement, SchemaContext] => [
    schema,
    { ...names, namespace, annotationsOf: (target) => targeted.get(target) ?? none },
  ]);
  const types = contexts.flatMap(([schema, context]) => readTypes(schema, context));
  const containers = contexts.flatMap(([schema, context]) =>
    childrenOf(schema, 'EntityContainer').map((container) => [container, context] as const),
  );
  const [container, ...others] = containers;
  if (!container) throw new MetadataError(root.line, 'there is no <EntityContainer>, and so no entity set.');
  if (others[0])
    // CSDL 4.01, 13: an entity model has one.
    throw new MetadataError(others[0][0].line, 'there is a second <EntityContainer>.');
  const sets = readEntitySets(...container);
  const model: Model = {
    types: new Map(types.map((type) => [type.fullName, type])),
    foreignNamespaces,
    entitySets: new Map(sets.map((set) => [set.name, set])),
    actions: contexts.flatMap(([schema, each]) => readBoundActions(schema, each)),
    isBusinessCentral: byNamespace.some(([, namespace]) => namespace === businessCentralNamespace),
  };
  checkModel(model, types);
  return model;
}

function readEntitySets(container: XmlElement, context: SchemaContext): readonly EntitySet[] {
  const target = `${context.namespace}.${nameOf(container)}`;
  const sets = container.children
    .filter((child) => child.name === 'EntitySet' || child.name === 'Singleton')
    .map((element): EntitySet => {
      const name = nameOf(element);
      const isSingleton = element.name === 'Singleton';
      return {
        name,
        line: element.line,
        isSingleton,
        type: context.qualify(attribute(element, isSingleton ? 'Type' : 'EntityType')),
        annotations: new Map([
          ...readAnnotations(element, context),
          ...context.annotationsOf(`${target}/${name}`),
        ]),
        bindings: new Map(
          childrenOf(element, 'NavigationPropertyBinding').map((binding) => [
            attribute(binding, 'Path'),
            attribute(binding, 'Target').replace(/^.*\//, ''),
          ]),
        ),
      };
    });
  requireDistinct(sets, 'the entity set');
  return sets;
}

/** Actions of one record, such as `Microsoft.NAV.post`. */
const readBoundActions = (schema: XmlElement, context: SchemaContext): readonly BoundAction[] =>
  childrenOf(schema, 'Action')
    .filter((action) => action.attributes.get('IsBound') === 'true')
    .flatMap((action) => {
      const [parameter] = childrenOf(action, 'Parameter');
      if (!parameter) return [];
      return [{ name: nameOf(action), entityType: context.qualify(attribute(parameter, 'Type')) }];
    });

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

/** What reading types needs to know of the document around them. */
export interface SchemaContext extends NameReader {
  readonly namespace: string;
  /** What `<Annotations>` say of an element: `Namespace.Type/property`. */
  annotationsOf(target: string): Annotations;
}

const withTargeted = (element: XmlElement, context: SchemaContext, target: string): Annotations =>
  new Map([...readAnnotations(element, context), ...context.annotationsOf(target)]);

function readTypes(schema: XmlElement, context: SchemaContext): readonly CsdlType[] {
  const readers = new Map<string, (element: XmlElement, context: SchemaContext) => CsdlType>([
    ['EntityType', readEntityType],
    ['ComplexType', readComplexType],
    ['EnumType', readEnumType],
    ['TypeDefinition', readTypeDefinition],
  ]);
  const types = schema.children.flatMap((child) => {
    const read = readers.get(child.name);
    return read ? [read(child, context)] : [];
  });
  requireDistinct(types, 'the type');
  return types;
}

function readEntityType(element: XmlElement, context: SchemaContext): EntityType {
  const [key, ...otherKeys] = childrenOf(element, 'Key');
  if (otherKeys[0]) throw new MetadataError(otherKeys[0].line, `${nameOf(element)} has two keys.`);
  return {
    kind: 'entity',
    ...readStructured(element, context),
    hasStream: booleanOf(element, 'HasStream', false),
    key: key ? childrenOf(key, 'PropertyRef').map((reference) => attribute(reference, 'Name')) : [],
  };
}

const readComplexType = (element: XmlElement, context: SchemaContext): ComplexType => ({
  kind: 'complex',
  ...readStructured(element, context),
});

function readStructured(element: XmlElement, context: SchemaContext) {
  const name = nameOf(element);
  const fullName = `${context.namespace}.${name}`;
  const baseType = element.attributes.get('BaseType');
  const properties = childrenOf(element, 'Property').map((each) => readProperty(each, context, fullName));
  const navigations = childrenOf(element, 'NavigationProperty').map((each) =>
    readNavigation(each, context, fullName),
  );
  requireDistinct([...properties, ...navigations], `the property of ${name}`);
  return {
    name,
    fullName,
    line: element.line,
    annotations: withTargeted(element, context, fullName),
    baseType: baseType === undefined ? null : context.qualify(baseType),
    isOpen: booleanOf(element, 'OpenType', false),
    properties,
    navigations,
  };
}

function readProperty(element: XmlElement, context: SchemaContext, owner: string): Property {
  const name = nameOf(element);
  return {
    name,
    line: element.line,
    annotations: withTargeted(element, context, `${owner}/${name}`),
    ...typeReference(context, attribute(element, 'Type')),
    isNullable: booleanOf(element, 'Nullable', true),
    maxLength: maxLengthOf(element),
  };
}

function readNavigation(element: XmlElement, context: SchemaContext, owner: string): Navigation {
  const name = nameOf(element);
  return {
    name,
    line: element.line,
    annotations: withTargeted(element, context, `${owner}/${name}`),
    isContained: booleanOf(element, 'ContainsTarget', false),
    ...typeReference(context, attribute(element, 'Type')),
    partner: element.attributes.get('Partner') ?? null,
    constraints: childrenOf(element, 'ReferentialConstraint').map(
      (constraint): Constraint => ({
        property: attribute(constraint, 'Property'),
        referenced: attribute(constraint, 'ReferencedProperty'),
      }),
    ),
  };
}

function readEnumType(element: XmlElement, context: SchemaContext): EnumType {
  const name = nameOf(element);
  const fullName = `${context.namespace}.${name}`;
  const members = childrenOf(element, 'Member').map((member) => {
    const memberName = memberNameOf(member);
    return {
      name: memberName,
      line: member.line,
      annotations: withTargeted(member, context, `${fullName}/${memberName}`),
    };
  });
  requireDistinct(members, `the member of ${name}`);
  return {
    kind: 'enum',
    name,
    fullName,
    line: element.line,
    annotations: withTargeted(element, context, fullName),
    isFlags: booleanOf(element, 'IsFlags', false),
    members,
  };
}

function readTypeDefinition(element: XmlElement, context: SchemaContext): TypeDefinition {
  const name = nameOf(element);
  return {
    kind: 'definition',
    name,
    fullName: `${context.namespace}.${name}`,
    line: element.line,
    annotations: withTargeted(element, context, `${context.namespace}.${name}`),
    underlyingType: context.qualify(attribute(element, 'UnderlyingType')),
  };
}
