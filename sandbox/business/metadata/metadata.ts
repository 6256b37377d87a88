import { ApiError } from '../../api-error.ts';
import type { ApiRequest, ApiResponse } from '../../http.ts';
import { type Dialect, encodeName } from '../dialect.ts';
import type { EntitySet, Navigation, SetField } from '../entity-set.ts';
import { standardRoute, v1Route } from '../entity-set.ts';
import { entitySets, splitRoute } from '../entity-sets.ts';

/** What `$metadata` says of a route, in a dialect. */
export interface MetadataModel {
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

export function metadataModel(dialect: Dialect, route: string): MetadataModel {
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
export const typeNameOf = ({ typeName }: EntitySet): string => (typeName === 'itemV1' ? 'item' : typeName);

/** The fields of the key: `id`, unless the first field of the set is the id of another record. */
export function keyNamesOf({ fields }: EntitySet): readonly string[] {
  return fields.some(({ name }) => name === 'id') ? ['id'] : fields.slice(0, 1).map(({ name }) => name);
}

/** The real service names the enum of a field after its table. By entity type and field; others get both names. */
const enumNames: Readonly<Record<string, string>> = {
  'customer.type': 'contactType',
  'purchaseOrder.status': 'purchaseOrderEntityBufferStatus',
  'purchaseInvoice.status': 'purchaseInvoiceEntityAggregateStatus',
  'salesOrder.status': 'salesOrderEntityBufferStatus',
  'salesQuote.status': 'salesQuoteEntityBufferStatus',
  'salesCreditMemo.status': 'salesCrMemoEntityBufferStatus',
  'salesInvoice.status': 'invoiceEntityAggregateStatus',
  'salesShipmentLine.lineType': 'salesLineType',
  'account.category': 'glAccountCategory',
  'account.accountType': 'glAccountType',
  'generalLedgerEntry.documentType': 'genJournalDocumentType',
  'contact.contactBusinessRelation': 'contactBusinessRelation',
  'documentAttachment.parentType': 'attachmentEntityBufferDocumentType',
};

/** The enum of a field; undefined for any other field, and in v1.0, whose words are strings. */
export function enumNameOf(set: EntitySet, { name, choices }: SetField, route: string): string | undefined {
  if (!choices || route === v1Route) return undefined;
  const type = typeNameOf(set);
  const known = enumNames[`${type}.${name}`];
  if (known !== undefined) return known;
  if (name === 'lineType') return 'invoiceLineAggLineType';
  return name === 'taxType' ? 'taxBufferType' : type + capitalize(name);
}

/** The navigation of the target that leads back. */
export function partnerOf(
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

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** An element of an XML document. Text is in attributes alone, as in CSDL. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly children: readonly XmlElement[];
}

export function element(
  name: string,
  attributes: XmlElement['attributes'] = {},
  children: readonly XmlElement[] = [],
): XmlElement {
  return { name, attributes, children };
}

/** Prints a document, one element on a line. */
export function printXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${print(root, '')}`;
}

function print({ name, attributes, children }: XmlElement, indent: string): string {
  const given = Object.entries(attributes)
    .flatMap(([attribute, value]) => (value === undefined ? [] : [` ${attribute}="${escapeXml(value)}"`]))
    .join('');
  if (children.length === 0) return `${indent}<${name}${given} />\n`;
  const inner = children.map((child) => print(child, `${indent}  `)).join('');
  return `${indent}<${name}${given}>\n${inner}${indent}</${name}>\n`;
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#xA;');
}

/** Responds to `$metadata` of a route; undefined for any other path. */
export function respondWithMetadata(request: ApiRequest, dialect: Dialect): ApiResponse | undefined {
  const { route = '', rest } = splitRoute(request.path) ?? {};
  if (rest !== '$metadata') return undefined;
  if (request.method !== 'GET')
    throw new ApiError(
      405,
      'BadRequest_MethodNotAllowed',
      `'${request.method}' requests for '$metadata' of EdmType 'Collection' are not allowed within the OData web services.`,
      { headers: { allow: 'GET' } },
    );
  const body = printMetadata(metadataModel(dialect, route));
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}

/**
 * `$metadata` as Business Central writes it: every navigation contains its target, so that no set has a navigation
 * binding; words are enums with encoded members, except in v1.0; files are streams of entities of their own.
 */
function printMetadata(model: MetadataModel): string {
  const { sets, enums } = model;
  const schema = element(
    'Schema',
    { Namespace: 'Microsoft.NAV', xmlns: 'http://docs.oasis-open.org/odata/ns/edm' },
    [
      ...enums.map(({ name, members }) =>
        element(
          'EnumType',
          { Name: name },
          members.map((member, value) => element('Member', { Name: member, Value: String(value) })),
        ),
      ),
      ...sets.flatMap(({ fields }) => fields.flatMap(complexTypes)),
      companyType(model),
      ...(model.route === v1Route ? [] : [subscriptionType]),
      ...sets.map((set) => entityType(model, set)),
      ...fileTypes(model),
      ...actionsOf(model),
      element('EntityContainer', { Name: 'NAV' }, [
        ...serviceSets(model.route),
        ...sets.filter(({ hasAddress }) => hasAddress).map(containerSet),
      ]),
      ...sets.flatMap((set) => partnerAnnotations(model, set)),
    ],
  );
  return printXml(
    element('edmx:Edmx', { Version: '4.0', 'xmlns:edmx': 'http://docs.oasis-open.org/odata/ns/edmx' }, [
      element('edmx:DataServices', {}, [schema]),
    ]),
  );
}

function companyType({ dialect, sets }: MetadataModel): XmlElement {
  const companies = dialect.set('companies');
  return element('EntityType', { Name: 'company' }, [
    keyElement(['id']),
    ...companies.fields.map((field) => propertyElement(field, 'id', edmType(field))),
    ...sets
      .filter(({ hasAddress }) => hasAddress)
      .map((set) =>
        element('NavigationProperty', {
          Name: set.name,
          Type: `Collection(Microsoft.NAV.${typeNameOf(set)})`,
          ContainsTarget: 'true',
        }),
      ),
  ]);
}

function entityType(model: MetadataModel, set: EntitySet): XmlElement {
  const keys = keyNamesOf(set);
  const files = model.dialect.hasFiles ? (set.files ?? []) : [];
  return element('EntityType', { Name: typeNameOf(set) }, [
    keyElement(keys),
    ...set.fields
      .filter(({ kind }) => kind !== 'lines')
      .map((field) => {
        const enumName = enumNameOf(set, field, model.route);
        const type = enumName === undefined ? edmType(field) : `Microsoft.NAV.${enumName}`;
        return propertyElement(field, keys, type);
      }),
    ...(files.includes('attachmentContent') ? [streamElement('attachmentContent')] : []),
    ...(files.includes('logo') ? [streamElement('picture')] : []),
    ...set.navigations.map((navigation) => navigationElement(model, set, navigation)),
    ...(files.includes('picture') ? [fileNavigation(set, 'picture', 'id')] : []),
    ...(files.includes('pdfDocument') ? [fileNavigation(set, 'pdfDocument', 'parentId')] : []),
  ]);
}

const keyElement = (names: readonly string[]): XmlElement =>
  element(
    'Key',
    {},
    names.map((name) => element('PropertyRef', { Name: name })),
  );

const streamElement = (name: string): XmlElement => element('Property', { Name: name, Type: 'Edm.Stream' });

/** What the service computes for each row has no length: its page has a variable there, no column. */
function propertyElement(field: SetField, keys: readonly string[] | string, type: string): XmlElement {
  const { name, kind, maxLength, isComputed } = field;
  return element('Property', {
    Name: name,
    Type: type,
    Nullable: keys.includes(name) ? 'false' : undefined,
    MaxLength: maxLength === undefined || isComputed ? undefined : String(maxLength),
    Scale: kind === 'decimal' ? 'Variable' : undefined,
  });
}

function edmType({ name, kind }: SetField): string {
  switch (kind) {
    case 'guid':
      return 'Edm.Guid';
    case 'boolean':
      return 'Edm.Boolean';
    case 'integer':
      return 'Edm.Int32';
    case 'decimal':
      return 'Edm.Decimal';
    case 'date':
      return 'Edm.Date';
    case 'dateTime':
      return 'Edm.DateTimeOffset';
    case 'object':
      return `Microsoft.NAV.${name}Type`;
    default:
      return 'Edm.String';
  }
}

/** The complex types of an object and of the objects in it. */
function complexTypes({ name, members }: SetField): XmlElement[] {
  if (!members) return [];
  const own = element(
    'ComplexType',
    { Name: `${name}Type` },
    members.map((member) => propertyElement(member, [], edmType(member))),
  );
  return [...members.flatMap(complexTypes), own];
}

function navigationElement({ dialect }: MetadataModel, set: EntitySet, navigation: Navigation): XmlElement {
  const target = dialect.set(navigation.target);
  const { name, from, ownerField = 'documentId', by = ownerField } = navigation;
  const type = `Microsoft.NAV.${typeNameOf(target)}`;
  const [ownKey] = keyNamesOf(set);
  const [targetKey] = keyNamesOf(target);
  return element(
    'NavigationProperty',
    {
      Name: name,
      Type: from === undefined ? `Collection(${type})` : type,
      Partner: partnerOf(set, navigation, target),
      ContainsTarget: 'true',
    },
    // Rows without a column for their record are reached through it alone.
    from === undefined && !target.fields.some((field) => field.name === by)
      ? []
      : [
          element('ReferentialConstraint', {
            Property: from ?? ownKey,
            ReferencedProperty: from === undefined ? by : targetKey,
          }),
        ],
  );
}

const fileNavigation = (set: EntitySet, name: string, referenced: string): XmlElement =>
  element(
    'NavigationProperty',
    { Name: name, Type: `Microsoft.NAV.${name}`, Partner: typeNameOf(set), ContainsTarget: 'true' },
    [element('ReferentialConstraint', { Property: 'id', ReferencedProperty: referenced })],
  );

function actionsOf({ dialect, sets }: MetadataModel): XmlElement[] {
  if (!dialect.hasActions) return [];
  const bound = sets.flatMap((set) => (set.actions ?? []).map((name) => ({ name, type: typeNameOf(set) })));
  return bound
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, type }) =>
      element('Action', { Name: name, IsBound: 'true' }, [
        element('Parameter', { Name: 'bindingParameter', Type: `Microsoft.NAV.${type}` }),
      ]),
    );
}

function containerSet(set: EntitySet): XmlElement {
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
    { Name: set.name, EntityType: `Microsoft.NAV.${typeNameOf(set)}` },
    restrictions.map(([term, property, value]) =>
      element('Annotation', { Term: `Org.OData.Capabilities.V1.${term}` }, [
        element('Record', {}, [element('PropertyValue', { Property: property, Bool: String(value) })]),
      ]),
    ),
  );
}

function partnerAnnotations({ dialect }: MetadataModel, set: EntitySet): XmlElement[] {
  return set.navigations
    .filter((one) => one.from !== undefined && partnerOf(set, one, dialect.set(one.target)) !== undefined)
    .map(({ name }) =>
      element('Annotations', { Target: `Microsoft.NAV.${typeNameOf(set)}/${name}` }, [
        element('Annotation', { Term: 'Microsoft.NAV.IsBidirectionalPartnerNavigation', Bool: 'true' }),
      ]),
    );
}

const property = (Name: string, Type: string, more: Readonly<Record<string, string>> = {}): XmlElement =>
  element('Property', { Name, Type, ...more });
const required = { Nullable: 'false' };

/** Webhook subscriptions, whose type has the name of the set. */
const subscriptionType: XmlElement = element('EntityType', { Name: 'subscriptions' }, [
  keyElement(['subscriptionId']),
  property('subscriptionId', 'Edm.String', { Nullable: 'false', MaxLength: '150' }),
  property('notificationUrl', 'Edm.String', required),
  property('resource', 'Edm.String', required),
  property('timestamp', 'Edm.Int32'),
  property('userId', 'Edm.Guid'),
  property('lastModifiedDateTime', 'Edm.DateTimeOffset'),
  property('clientState', 'Edm.String', { MaxLength: '2048' }),
  property('expirationDateTime', 'Edm.DateTimeOffset'),
  property('systemCreatedAt', 'Edm.DateTimeOffset'),
  property('systemCreatedBy', 'Edm.Guid'),
  property('systemModifiedAt', 'Edm.DateTimeOffset'),
  property('systemModifiedBy', 'Edm.Guid'),
]);

/** The entity sets that are not within a company. */
const serviceSets = (route: string): readonly XmlElement[] => [
  element('EntitySet', { Name: 'companies', EntityType: 'Microsoft.NAV.company' }),
  ...(route === v1Route
    ? []
    : [element('EntitySet', { Name: 'subscriptions', EntityType: 'Microsoft.NAV.subscriptions' })]),
];

/** The entity types of files, which lead to the records that have such a file. */
function fileTypes({ dialect, sets }: MetadataModel): readonly XmlElement[] {
  if (!dialect.hasFiles) return [];
  const owners = (file: 'picture' | 'pdfDocument', column: string) =>
    sets
      .filter(({ files }) => files?.includes(file))
      .map((set) =>
        element(
          'NavigationProperty',
          {
            Name: typeNameOf(set),
            Type: `Microsoft.NAV.${typeNameOf(set)}`,
            Partner: file,
            ContainsTarget: 'true',
          },
          [element('ReferentialConstraint', { Property: column, ReferencedProperty: 'id' })],
        ),
      );
  const [pictures, documents] = [owners('picture', 'id'), owners('pdfDocument', 'parentId')];
  return [
    ...(pictures.length === 0
      ? []
      : [
          element('EntityType', { Name: 'picture' }, [
            keyElement(['id']),
            property('id', 'Edm.Guid', required),
            property('width', 'Edm.Int32'),
            property('height', 'Edm.Int32'),
            property('contentType', 'Edm.String', { MaxLength: '100' }),
            property('pictureContent', 'Edm.Stream'),
            ...pictures,
          ]),
        ]),
    ...(documents.length === 0
      ? []
      : [
          element('EntityType', { Name: 'pdfDocument' }, [
            keyElement(['id']),
            property('id', 'Edm.Guid', required),
            property('parentId', 'Edm.Guid'),
            property('pdfDocumentContent', 'Edm.Stream'),
            ...documents,
          ]),
        ]),
  ];
}
