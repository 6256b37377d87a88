import { MetadataError } from './metadata-error.ts';
import type { Constraint, Navigation } from './model.ts';
import { attribute, booleanOf, childrenOf, type NameReader, nameOf } from './names.ts';
import type { XmlElement } from './xml.ts';

interface End {
  readonly role: string;
  readonly type: string;
  readonly isMany: boolean;
}

interface Association {
  readonly ends: readonly End[];
  /** The role whose columns refer to the other, and how. */
  readonly dependent: { readonly role: string; readonly constraints: readonly Constraint[] } | null;
}

/** The relations of OData 2 and 3: their navigations name an association and the role of each end. */
export type AssociationReader = (
  element: XmlElement,
) => Pick<Navigation, 'type' | 'isCollection' | 'constraints' | 'partner'> | null;

export function readAssociations(
  schemas: readonly (readonly [XmlElement, string])[],
  names: NameReader,
): AssociationReader {
  const associations = new Map<string, Association>(
    schemas.flatMap(([schema, namespace]) =>
      childrenOf(schema, 'Association').map((element) => [
        `${namespace}.${nameOf(element)}`,
        readAssociation(element, names),
      ]),
    ),
  );
  const partners = new Map(
    schemas.flatMap(([schema]) =>
      childrenOf(schema, 'EntityType').flatMap((type) =>
        childrenOf(type, 'NavigationProperty')
          .filter((element) => element.attributes.has('Relationship'))
          .map(
            (element) =>
              [
                `${names.qualify(attribute(element, 'Relationship'))} ${attribute(element, 'FromRole')}`,
                attribute(element, 'Name'),
              ] as const,
          ),
      ),
    ),
  );
  return (element) => {
    const relationship = element.attributes.get('Relationship');
    if (relationship === undefined) return null;
    const fullName = names.qualify(relationship);
    const association = associations.get(fullName);
    if (!association) throw new MetadataError(element.line, `there is no association ${relationship}.`);
    const toRole = attribute(element, 'ToRole');
    const end = association.ends.find(({ role }) => role === toRole);
    if (!end) throw new MetadataError(element.line, `the association ${relationship} has no role ${toRole}.`);
    const isDependent = association.dependent?.role === attribute(element, 'FromRole');
    return {
      type: end.type,
      isCollection: end.isMany,
      constraints: isDependent ? (association.dependent?.constraints ?? []) : [],
      partner: partners.get(`${fullName} ${toRole}`) ?? null,
    };
  };
}

function readAssociation(element: XmlElement, names: NameReader): Association {
  const ends = childrenOf(element, 'End').map((end) => ({
    role: attribute(end, 'Role'),
    type: names.qualify(attribute(end, 'Type')),
    isMany: attribute(end, 'Multiplicity') === '*',
  }));
  if (ends.length !== 2)
    throw new MetadataError(
      element.line,
      `the association ${nameOf(element)} has ${ends.length} ends, not two.`,
    );
  const [constraint] = childrenOf(element, 'ReferentialConstraint');
  const columnsOf = (name: string) => {
    const part = constraint && childrenOf(constraint, name)[0];
    return {
      role: part ? attribute(part, 'Role') : '',
      columns: part ? childrenOf(part, 'PropertyRef').map((reference) => attribute(reference, 'Name')) : [],
    };
  };
  const [principal, dependent] = [columnsOf('Principal'), columnsOf('Dependent')];
  return {
    ends,
    dependent: constraint
      ? {
          role: dependent.role,
          constraints: dependent.columns.flatMap((property, index) => {
            const referenced = principal.columns[index];
            return referenced === undefined ? [] : [{ property, referenced }];
          }),
        }
      : null,
  };
}

/** The entity set that a navigation of version 2 or 3 leads to, by the association set of the container. */
export function associatedSets(container: XmlElement, names: NameReader): ReadonlyMap<string, string> {
  return new Map(
    childrenOf(container, 'AssociationSet').flatMap((set) =>
      childrenOf(set, 'End').map((end) => [
        `${names.qualify(attribute(set, 'Association'))} ${attribute(end, 'Role')}`,
        attribute(end, 'EntitySet'),
      ]),
    ),
  );
}

/** Of attributes that the versions 1 to 3 add. */
const metadataNamespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata';

/** Whether a container is the one to read, where a document of version 2 or 3 has several. */
export const isDefaultContainer = (container: XmlElement): boolean =>
  ['IsDefaultEntityContainer', `{${metadataNamespace}}IsDefaultEntityContainer`].some((name) =>
    booleanOf(container, name, false),
  );
