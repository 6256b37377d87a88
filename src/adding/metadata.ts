import { AddingError, atLine, parseXml, type XmlElement } from './xml.ts';

export interface Property {
  readonly name: string;
  /** Qualified: `Edm.String`, `Microsoft.NAV.vendorBlocked`, `Collection(Edm.String)`. */
  readonly type: string;
  /** Null if the metadata has no length. */
  readonly maxLength: number | null;
  /** Whether its values are translated to the language of the session. */
  readonly isLanguageDependent: boolean;
}

export interface Navigation {
  readonly name: string;
  /** The qualified name of the entity type. */
  readonly type: string;
  readonly isCollection: boolean;
  readonly isContained: boolean;
  readonly constraints: readonly Constraint[];
}

interface Constraint {
  readonly property: string;
  /** The property of the target type that `property` equals. */
  readonly referenced: string;
}

export interface EntityType {
  readonly name: string;
  readonly fullName: string;
  /** Whether it has a base type. The properties of base types are not read, because Business Central has none. */
  readonly isDerived: boolean;
  readonly key: readonly string[];
  readonly properties: readonly Property[];
  readonly navigations: readonly Navigation[];
  /** The actions that are bound to one record, such as `post`. */
  readonly actions: readonly string[];
}

export interface EntitySet {
  readonly name: string;
  /** The qualified name of the entity type. */
  readonly type: string;
  readonly canSort: boolean;
  /** The writes that the metadata allows: create, update, delete. */
  readonly writes: readonly string[];
}

/** The content of a `$metadata` document (CSDL 4, XML). References are not checked. */
export interface Metadata {
  readonly entityTypes: ReadonlyMap<string, EntityType>;
  /** The members of each enum, encoded as XML names, by qualified name. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
  readonly entitySets: ReadonlyMap<string, EntitySet>;
}

/** Parses a `$metadata` document. Throws an `AddingError`. */
export function parseMetadata(source: string | Uint8Array): Metadata {
  const root = parseXml(source);
  if (root.name !== 'Edmx')
    throw new AddingError(
      `The document begins with <${root.name}>, not with <Edmx>: is it the response of $metadata?`,
    );
  // Up to OData 3, whose navigations have another form, Edmx has version 1.0.
  if (root.attributes.get('Version')?.startsWith('1.'))
    throw new AddingError('The metadata is of OData 3 or earlier, and only that of OData 4 is read.');
  const schemas = childrenOf(root, 'DataServices').flatMap((services) => childrenOf(services, 'Schema'));
  const sets = schemas
    .flatMap((schema) => childrenOf(schema, 'EntityContainer'))
    .flatMap((container) => childrenOf(container, 'EntitySet'))
    .map(readEntitySet);
  if (sets.length === 0) throw new AddingError('The metadata has no entity set.');
  const types = schemas.flatMap(readEntityTypes);
  return {
    entityTypes: new Map(types.map((type) => [type.fullName, type])),
    enums: new Map(schemas.flatMap(readEnums)),
    entitySets: new Map(sets.map((set) => [set.name, set])),
  };
}

const childrenOf = (element: XmlElement, name: string): readonly XmlElement[] =>
  element.children.filter((child) => child.name === name);

function attribute(element: XmlElement, name: string): string {
  const value = element.attributes.get(name);
  if (value === undefined || value === '')
    throw atLine(element.line, `<${element.name}> has no \`${name}\`.`);
  return value;
}

const isTrue = (element: XmlElement, name: string): boolean => element.attributes.get(name) === 'true';

function readEntitySet(element: XmlElement): EntitySet {
  const allowed = new Set(
    childrenOf(element, 'Annotation')
      .flatMap((annotation) => childrenOf(annotation, 'Record'))
      .flatMap((record) => childrenOf(record, 'PropertyValue'))
      .filter((value) => isTrue(value, 'Bool'))
      .map((value) => value.attributes.get('Property')),
  );
  const restrictsSorting = childrenOf(element, 'Annotation').some(({ attributes }) =>
    attributes.get('Term')?.endsWith('.SortRestrictions'),
  );
  return {
    name: attribute(element, 'Name'),
    type: attribute(element, 'EntityType'),
    canSort: !restrictsSorting || allowed.has('Sortable'),
    writes: [
      ...(allowed.has('Insertable') ? ['create'] : []),
      ...(allowed.has('Updatable') ? ['update'] : []),
      ...(allowed.has('Deletable') ? ['delete'] : []),
    ],
  };
}

const readEnums = (schema: XmlElement): readonly (readonly [string, readonly string[]])[] =>
  childrenOf(schema, 'EnumType').map((element) => [
    `${attribute(schema, 'Namespace')}.${attribute(element, 'Name')}`,
    childrenOf(element, 'Member').map((member) => attribute(member, 'Name')),
  ]);

function readEntityTypes(schema: XmlElement): readonly EntityType[] {
  const namespace = attribute(schema, 'Namespace');
  const languageDependent = new Set(
    childrenOf(schema, 'Annotations')
      .filter((group) =>
        childrenOf(group, 'Annotation').some(
          (one) => attribute(one, 'Term').endsWith('.IsLanguageDependent') && isTrue(one, 'Bool'),
        ),
      )
      .map((group) => attribute(group, 'Target')),
  );
  const actions = childrenOf(schema, 'Action').map((action) => ({
    name: attribute(action, 'Name'),
    boundTo: childrenOf(action, 'Parameter')[0]?.attributes.get('Type'),
  }));
  return childrenOf(schema, 'EntityType').map((element): EntityType => {
    const name = attribute(element, 'Name');
    const fullName = `${namespace}.${name}`;
    return {
      name,
      fullName,
      isDerived: element.attributes.has('BaseType'),
      key: childrenOf(element, 'Key')
        .flatMap((key) => childrenOf(key, 'PropertyRef'))
        .map((reference) => attribute(reference, 'Name')),
      properties: childrenOf(element, 'Property').map((property) => ({
        name: attribute(property, 'Name'),
        type: attribute(property, 'Type'),
        maxLength: Number(property.attributes.get('MaxLength')) || null,
        isLanguageDependent: languageDependent.has(`${fullName}/${attribute(property, 'Name')}`),
      })),
      navigations: childrenOf(element, 'NavigationProperty').map(readNavigation),
      actions: actions.flatMap((action) => (action.boundTo === fullName ? [action.name] : [])),
    };
  });
}

function readNavigation(element: XmlElement): Navigation {
  const type = attribute(element, 'Type');
  const [, item] = /^Collection\((.*)\)$/.exec(type) ?? [];
  return {
    name: attribute(element, 'Name'),
    type: item ?? type,
    isCollection: item !== undefined,
    isContained: isTrue(element, 'ContainsTarget'),
    constraints: childrenOf(element, 'ReferentialConstraint').map((constraint) => ({
      property: attribute(constraint, 'Property'),
      referenced: attribute(constraint, 'ReferencedProperty'),
    })),
  };
}
