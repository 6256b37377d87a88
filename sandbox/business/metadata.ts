import { methodNotAllowedError } from '../api-error.ts';
import type { ApiRequest, ApiResponse } from '../http.ts';
import { type Dialect, encodeName } from './dialect.ts';
import { type EntitySet, type Navigation, type SetField, standardRoute, v1Route } from './entity-set.ts';
import { entitySets, splitRoute } from './entity-sets.ts';

/** What `$metadata` says of a route, in a dialect. */
interface MetadataModel {
  readonly dialect: Dialect;
  readonly route: string;
  /** The entity types: sets with addresses and those that relations alone lead to. */
  readonly sets: readonly EntitySet[];
  readonly enums: readonly MetadataEnum[];
}

interface MetadataEnum {
  readonly name: string;
  /** As XML names. */
  readonly members: readonly string[];
}

function metadataModel(dialect: Dialect, route: string): MetadataModel {
  const sets =
    route === v1Route
      ? [dialect.itemsV1]
      : entitySets
          .filter((set) => (set.route ?? standardRoute) === route && set.name !== 'companies')
          .map(({ name }) => dialect.set(name));
  const enums = new Map<string, MetadataEnum>();
  for (const set of sets) {
    for (const field of set.fields) {
      const name = enumNameOf(set, field, route);
      if (name !== undefined && field.choices)
        enums.set(name, { name, members: field.choices.map(encodeName) });
    }
  }
  return { dialect, route, sets, enums: [...enums.values()] };
}

/** The name of an entity type. */
const typeNameOf = ({ typeName }: EntitySet): string => (typeName === 'itemV1' ? 'item' : typeName);

/** The fields of the key: `id`, unless the first field of the set is the id of another record. */
function keyNamesOf({ fields }: EntitySet): readonly string[] {
  return fields.some(({ name }) => name === 'id') ? ['id'] : fields.slice(0, 1).map(({ name }) => name);
}

/** The enum of a field; undefined for any other field, and in v1.0, whose words are strings. */
function enumNameOf(set: EntitySet, { name, choices }: SetField, route: string): string | undefined {
  if (!choices || route === v1Route) return undefined;
  return typeNameOf(set) + name.charAt(0).toUpperCase() + name.slice(1);
}

/** The navigation of the target that leads back. */
function partnerOf(
  set: EntitySet,
  { from, by = 'documentId' }: Navigation,
  target: EntitySet,
): string | undefined {
  const back = target.navigations.filter((one) => one.target === set.name);
  const partner =
    from === undefined
      ? back.find((one) => one.from === by)
      : back.find((one) => one.from === undefined && (one.by ?? 'documentId') === from);
  return partner?.name;
}

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

/** Responds to `$metadata` of a route; undefined for any other path. */
export function respondWithMetadata(request: ApiRequest, dialect: Dialect): ApiResponse | undefined {
  const { route = '', rest } = splitRoute(request.path) ?? {};
  if (rest !== '$metadata') return undefined;
  if (request.method !== 'GET') throw methodNotAllowedError(request.method, '$metadata', 'Collection', 'GET');
  const body = printMetadata(metadataModel(dialect, route));
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}

/**
 * `$metadata` as Business Central writes it: every navigation contains its target, so that no set has a navigation
 * binding; words are enums with encoded members, except in v1.0. Of files it has the streams of attachments and logos alone.
 */
function printMetadata(model: MetadataModel): string {
  const { sets, enums } = model;
  const xmlns = 'http://docs.oasis-open.org/odata/ns/edm';
  const addressed = sets.filter(({ hasAddress }) => hasAddress);
  const schema = element('Schema', { Namespace: 'Microsoft.NAV', xmlns }, [
    ...enums.map(({ name, members }) =>
      element(
        'EnumType',
        { Name: name },
        members.map((Name, at) => element('Member', { Name, Value: `${at}` })),
      ),
    ),
    ...sets.flatMap(({ fields }) => fields.flatMap(complexTypes)),
    companyType(model.dialect, addressed),
    ...sets.map((set) => entityType(model, set)),
    ...actionsOf(model),
    element('EntityContainer', { Name: 'NAV' }, [
      element('EntitySet', { Name: 'companies', EntityType: navType('company') }),
      ...addressed.map(containerSet),
    ]),
  ]);
  const edmx = { Version: '4.0', 'xmlns:edmx': 'http://docs.oasis-open.org/odata/ns/edmx' };
  const document = element('edmx:Edmx', edmx, [element('edmx:DataServices', {}, [schema])]);
  return `<?xml version="1.0" encoding="utf-8"?>\n${document}`;
}

const navType = (name: string): string => `Microsoft.NAV.${name}`;

function companyType(dialect: Dialect, addressed: readonly EntitySet[]): string {
  return element('EntityType', { Name: 'company' }, [
    keyElement(['id']),
    ...dialect.set('companies').fields.map((field) => propertyElement(field, ['id'])),
    ...addressed.map((set) => navigationProperty(set.name, `Collection(${navType(typeNameOf(set))})`)),
  ]);
}

function entityType({ dialect, route }: MetadataModel, set: EntitySet): string {
  const keys = keyNamesOf(set);
  const files = dialect.hasFiles ? (set.files ?? []) : [];
  return element('EntityType', { Name: typeNameOf(set) }, [
    keyElement(keys),
    ...set.fields
      .filter(({ kind }) => kind !== 'lines')
      .map((field) => propertyElement(field, keys, enumNameOf(set, field, route))),
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

const constraint = (Property: string | undefined, ReferencedProperty: string | undefined): string =>
  element('ReferentialConstraint', { Property, ReferencedProperty });

const navigationProperty = (
  Name: string,
  Type: string,
  Partner?: string,
  constraints: readonly string[] = [],
): string => element('NavigationProperty', { Name, Type, Partner, ContainsTarget: 'true' }, constraints);

/** What the service computes for each row has no length: its page has a variable there, no column. */
function propertyElement(field: SetField, keys: readonly string[], enumName?: string): string {
  const { name, kind, maxLength, isComputed } = field;
  return property(name, enumName === undefined ? edmType(field) : navType(enumName), {
    Nullable: keys.includes(name) ? 'false' : undefined,
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

const edmType = ({ name, kind }: SetField): string =>
  kind === 'object' ? navType(`${name}Type`) : (edmTypes[kind] ?? 'Edm.String');

/** The complex types of an object and of the objects in it. */
function complexTypes({ name, members }: SetField): string[] {
  if (!members) return [];
  const properties = members.map((member) => propertyElement(member, []));
  return [...members.flatMap(complexTypes), element('ComplexType', { Name: `${name}Type` }, properties)];
}

function navigationElement(dialect: Dialect, set: EntitySet, navigation: Navigation): string {
  const target = dialect.set(navigation.target);
  const { name, from, by = 'documentId' } = navigation;
  const type = navType(typeNameOf(target));
  const partner = partnerOf(set, navigation, target);
  if (from !== undefined)
    return navigationProperty(name, type, partner, [constraint(from, keyNamesOf(target)[0])]);
  const constraints = [constraint(keyNamesOf(set)[0], by)];
  return navigationProperty(name, `Collection(${type})`, partner, constraints);
}

function actionsOf({ dialect, sets }: MetadataModel): string[] {
  if (!dialect.hasActions) return [];
  return sets
    .flatMap((set) => (set.actions ?? []).map((name) => ({ name, type: typeNameOf(set) })))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, type }) =>
      element('Action', { Name: name, IsBound: 'true' }, [
        element('Parameter', { Name: 'bindingParameter', Type: navType(type) }),
      ]),
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
    { Name: set.name, EntityType: navType(typeNameOf(set)) },
    restrictions.map(([term, Property, value]) =>
      element('Annotation', { Term: `Org.OData.Capabilities.V1.${term}` }, [
        element('Record', {}, [element('PropertyValue', { Property, Bool: String(value) })]),
      ]),
    ),
  );
}
