import { methodNotAllowedError } from '../api-error.ts';
import type { ApiRequest, ApiResponse } from '../http.ts';
import { type Dialect, encodeName } from './dialect.ts';
import { type EntitySet, type Navigation, type SetField, standardRoute, v1Route } from './entity-set.ts';
import { entitySets, splitRoute } from './entity-sets.ts';

/** The fields of the key: `id`, unless the first field of the set is the id of another record. */
function keyNamesOf({ fields }: EntitySet): readonly string[] {
  return fields.some(({ name }) => name === 'id') ? ['id'] : fields.slice(0, 1).map(({ name }) => name);
}

/** The name of the enum of a choice. */
const enumNameOf = ({ typeName }: EntitySet, { name }: SetField): string =>
  typeName + name.charAt(0).toUpperCase() + name.slice(1);

type Attributes = Readonly<Record<string, string | undefined>>;

/** The attributes of an element; those without a value are left out. */
function attributesOf(attributes: Attributes): string {
  return Object.entries(attributes)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escapeXml(value)}"`]))
    .join('');
}

/** An element of an XML document. Text is in attributes alone, as in CSDL. */
function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const start = `<${name}${attributesOf(attributes)}`;
  return children.length === 0 ? `${start} />\n` : `${start}>\n${children.join('')}</${name}>\n`;
}

function escapeXml(text: string): string {
  const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;', '\n': '&#xA;' };
  return text.replace(/[&<"\n]/g, (mark) => marks[mark] ?? mark);
}

/** Responds to `$metadata` of a route but v1.0; undefined for any other path. */
export function respondWithMetadata(request: ApiRequest, dialect: Dialect): ApiResponse | undefined {
  const { route = '', rest } = splitRoute(request.path) ?? {};
  if (rest !== '$metadata' || route === v1Route) return undefined;
  if (request.method !== 'GET') throw methodNotAllowedError(request.method, '$metadata', 'Collection', 'GET');
  const sets = entitySets
    .filter((set) => (set.route ?? standardRoute) === route && set.name !== 'companies')
    .map(({ name }) => dialect.set(name));
  const body = printMetadata(dialect, sets);
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}

/**
 * `$metadata` as Business Central writes it: every navigation contains its target, so that no set has a navigation
 * binding; words are enums with encoded members. Of files it has the streams of attachments and logos alone.
 */
function printMetadata(dialect: Dialect, sets: readonly EntitySet[]): string {
  const xmlns = 'http://docs.oasis-open.org/odata/ns/edm';
  const addressed = sets.filter(({ hasAddress }) => hasAddress);
  const schema = element('Schema', { Namespace: 'Microsoft.NAV', xmlns }, [
    ...sets.flatMap(enumTypes),
    companyType(dialect, addressed),
    ...sets.map((set) => entityType(dialect, set)),
    ...actionsOf(sets),
    element('EntityContainer', { Name: 'NAV' }, [
      element('EntitySet', { Name: 'companies', EntityType: navType('company') }),
      ...addressed.map(containerSet),
    ]),
  ]);
  const edmx = { Version: '4.0', 'xmlns:edmx': 'http://docs.oasis-open.org/odata/ns/edmx' };
  const document = element('edmx:Edmx', edmx, [element('edmx:DataServices', {}, [schema])]);
  return `<?xml version="1.0" encoding="utf-8"?>\n${document}`;
}

const enumTypes = (set: EntitySet): string[] =>
  set.fields.flatMap((field) => {
    const members = field.choices?.map((word, at) =>
      element('Member', { Name: encodeName(word), Value: `${at}` }),
    );
    return members ? [element('EnumType', { Name: enumNameOf(set, field) }, members)] : [];
  });

const navType = (name: string): string => `Microsoft.NAV.${name}`;

function companyType(dialect: Dialect, addressed: readonly EntitySet[]): string {
  return element('EntityType', { Name: 'company' }, [
    keyElement(['id']),
    ...dialect.set('companies').fields.map((field) => propertyElement(dialect.set('companies'), field)),
    ...addressed.map((set) => navigationProperty(set.name, `Collection(${navType(set.typeName)})`)),
  ]);
}

function entityType(dialect: Dialect, set: EntitySet): string {
  const files = set.files ?? [];
  return element('EntityType', { Name: set.typeName }, [
    keyElement(keyNamesOf(set)),
    ...set.fields.filter(({ kind }) => kind !== 'lines').map((field) => propertyElement(set, field)),
    ...(files.includes('attachmentContent') ? [property('attachmentContent', 'Edm.Stream')] : []),
    ...(files.includes('logo') ? [property('picture', 'Edm.Stream')] : []),
    ...set.navigations.map((navigation) => navigationElement(dialect, set, navigation)),
  ]);
}

function keyElement(names: readonly string[]): string {
  return element(
    'Key',
    {},
    names.map((name) => element('PropertyRef', { Name: name })),
  );
}

const property = (Name: string, Type: string, more: Attributes = {}): string =>
  element('Property', { Name, Type, ...more });

/** A relation, and the columns of both sides that are equal. */
const navigationProperty = (Name: string, Type: string, columns?: Attributes): string =>
  element(
    'NavigationProperty',
    { Name, Type, ContainsTarget: 'true' },
    columns && [element('ReferentialConstraint', columns)],
  );

/** What the service computes for each row has no length: its page has a variable there, no column. */
function propertyElement(set: EntitySet, field: SetField): string {
  const { name, kind, choices, maxLength, isComputed } = field;
  return property(name, choices ? navType(enumNameOf(set, field)) : (edmTypes[kind] ?? 'Edm.String'), {
    Nullable: keyNamesOf(set).includes(name) ? 'false' : undefined,
    MaxLength: maxLength === undefined || isComputed ? undefined : String(maxLength),
    Scale: kind === 'decimal' ? 'Variable' : undefined,
  });
}

const edmTypes: Readonly<Partial<Record<SetField['kind'], string>>> = {
  guid: 'Edm.Guid',
  boolean: 'Edm.Boolean',
  integer: 'Edm.Int32',
  decimal: 'Edm.Decimal',
  date: 'Edm.Date',
  dateTime: 'Edm.DateTimeOffset',
};

function navigationElement(dialect: Dialect, set: EntitySet, navigation: Navigation): string {
  const target = dialect.set(navigation.target);
  const { name, from, by = 'documentId' } = navigation;
  const type = navType(target.typeName);
  const [ownKey, targetKey] = [keyNamesOf(set)[0], keyNamesOf(target)[0]];
  return from === undefined
    ? navigationProperty(name, `Collection(${type})`, { Property: ownKey, ReferencedProperty: by })
    : navigationProperty(name, type, { Property: from, ReferencedProperty: targetKey });
}

function actionsOf(sets: readonly EntitySet[]): string[] {
  return sets.flatMap(({ actions = [], typeName }) =>
    actions.map((name) =>
      element('Action', { Name: name, IsBound: 'true' }, [
        element('Parameter', { Name: 'bindingParameter', Type: navType(typeName) }),
      ]),
    ),
  );
}

function containerSet(set: EntitySet): string {
  const can = (method: 'POST' | 'PATCH' | 'DELETE') => set.writes.includes(method);
  const restrictions: readonly (readonly [term: string, property: string, value: boolean])[] = [
    ['ChangeTracking', 'Supported', false],
    ['DeleteRestrictions', 'Deletable', can('DELETE')],
    ['InsertRestrictions', 'Insertable', can('POST')],
    ['UpdateRestrictions', 'Updatable', can('PATCH')],
    ['SortRestrictions', 'Sortable', true],
  ];
  return element(
    'EntitySet',
    { Name: set.name, EntityType: navType(set.typeName) },
    restrictions.map(([term, Property, value]) =>
      element('Annotation', { Term: `Org.OData.Capabilities.V1.${term}` }, [
        element('Record', {}, [element('PropertyValue', { Property, Bool: String(value) })]),
      ]),
    ),
  );
}
