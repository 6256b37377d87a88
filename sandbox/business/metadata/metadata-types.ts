import type { XmlElement } from '../../xml.ts';
import { element } from '../../xml.ts';
import { v1Route } from '../routes.ts';
import type { MetadataModel } from './metadata-model.ts';
import { typeNameOf } from './metadata-model.ts';

const property = (Name: string, Type: string, more: Readonly<Record<string, string>> = {}): XmlElement =>
  element('Property', { Name, Type, ...more });
const required = { Nullable: 'false' };
const keyOf = (name: string): XmlElement => element('Key', {}, [element('PropertyRef', { Name: name })]);

/** Webhook subscriptions, whose type has the name of the set. */
export const subscriptionType: XmlElement = element('EntityType', { Name: 'subscriptions' }, [
  keyOf('subscriptionId'),
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
export const serviceSets = (route: string): readonly XmlElement[] => [
  element('EntitySet', { Name: 'companies', EntityType: 'Microsoft.NAV.company' }),
  ...(route === v1Route
    ? []
    : [element('EntitySet', { Name: 'subscriptions', EntityType: 'Microsoft.NAV.subscriptions' })]),
];

/** The entity types of files, which lead to the records that have such a file. */
export function fileTypes({ dialect, sets }: MetadataModel): readonly XmlElement[] {
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
            keyOf('id'),
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
            keyOf('id'),
            property('id', 'Edm.Guid', required),
            property('parentId', 'Edm.Guid'),
            property('pdfDocumentContent', 'Edm.Stream'),
            ...documents,
          ]),
        ]),
  ];
}
