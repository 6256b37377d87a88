import { readAnnotations } from './annotations.ts';
import { MetadataError } from './metadata-error.ts';
import type {
  Annotations,
  ComplexType,
  Constraint,
  CsdlType,
  EntityType,
  EnumType,
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
import type { XmlElement } from './xml.ts';

/** What reading types needs to know of the document around them. */
export interface SchemaContext extends NameReader {
  readonly namespace: string;
  /** What `<Annotations>` say of an element: `Namespace.Type/property`. */
  annotationsOf(target: string): Annotations;
}

const withTargeted = (element: XmlElement, context: SchemaContext, target: string): Annotations =>
  new Map([...readAnnotations(element, context), ...context.annotationsOf(target)]);

export function readTypes(schema: XmlElement, context: SchemaContext): readonly CsdlType[] {
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
