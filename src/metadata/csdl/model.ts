/** A value of an annotation. Enumeration members and paths are text. */
export type AnnotationValue =
  | string
  | boolean
  | null
  | readonly AnnotationValue[]
  | { readonly [property: string]: AnnotationValue };

/** The annotations of one element by their terms with namespace, as `Org.OData.Core.V1.Computed`. */
export type Annotations = ReadonlyMap<string, AnnotationValue>;

interface Element {
  readonly name: string;
  readonly line: number;
  readonly annotations: Annotations;
}

export interface Property extends Element {
  /** With its namespace: `Edm.String`, `Microsoft.NAV.vendorBlocked`. */
  readonly type: string;
  readonly isCollection: boolean;
  readonly isNullable: boolean;
  /** Null where the metadata has none, or `max`. */
  readonly maxLength: number | null;
}

export interface Navigation extends Element {
  /** The entity type with its namespace. */
  readonly type: string;
  readonly isCollection: boolean;
  readonly partner: string | null;
  readonly isContained: boolean;
  /** Columns of the type, each with the column of the other that it equals. */
  readonly constraints: readonly Constraint[];
}

export interface Constraint {
  readonly property: string;
  readonly referenced: string;
}

interface StructuredType extends Element {
  /** With its namespace. */
  readonly fullName: string;
  readonly baseType: string | null;
  readonly isOpen: boolean;
  readonly properties: readonly Property[];
  readonly navigations: readonly Navigation[];
}

export interface EntityType extends StructuredType {
  readonly kind: 'entity';
  /** Whether the entity is itself a file, below `$value`. */
  readonly hasStream: boolean;
  /** Empty where a base type has it. */
  readonly key: readonly string[];
}

export interface ComplexType extends StructuredType {
  readonly kind: 'complex';
}

export interface EnumType extends Element {
  readonly kind: 'enum';
  readonly fullName: string;
  /** Whether a value is several members at once. */
  readonly isFlags: boolean;
  readonly members: readonly Element[];
}

export interface TypeDefinition extends Element {
  readonly kind: 'definition';
  readonly fullName: string;
  readonly underlyingType: string;
}

export type CsdlType = EntityType | ComplexType | EnumType | TypeDefinition;

export interface EntitySet extends Element {
  /** The entity type with its namespace. */
  readonly type: string;
  readonly isSingleton: boolean;
  /** The entity set that each path of navigations leads to. */
  readonly bindings: ReadonlyMap<string, string>;
}

export interface BoundAction {
  readonly name: string;
  readonly entityType: string;
}

/** What a `$metadata` document says, checked: every name that it refers to exists. */
export interface Model {
  readonly types: ReadonlyMap<string, CsdlType>;
  /** Namespaces of other documents, whose types are not known. */
  readonly foreignNamespaces: ReadonlySet<string>;
  /** Entity sets and singletons in the order of the metadata. */
  readonly entitySets: ReadonlyMap<string, EntitySet>;
  readonly actions: readonly BoundAction[];
  /** Whether it is that of Business Central, which has conventions of its own. */
  readonly isBusinessCentral: boolean;
}

export function entityType(model: Model, name: string): EntityType {
  const type = model.types.get(name);
  if (type?.kind !== 'entity') throw new Error(`${name} is no entity type`);
  return type;
}

/** A type and its base types, the farthest first. */
export function lineage(model: Model, type: EntityType): readonly EntityType[] {
  const base = type.baseType === null ? undefined : model.types.get(type.baseType);
  return base?.kind === 'entity' ? [...lineage(model, base), type] : [type];
}

export const propertiesOf = (model: Model, type: EntityType): readonly Property[] =>
  lineage(model, type).flatMap(({ properties }) => properties);

export const navigationsOf = (model: Model, type: EntityType): readonly Navigation[] =>
  lineage(model, type).flatMap(({ navigations }) => navigations);

export const keyOf = (model: Model, type: EntityType): readonly string[] =>
  lineage(model, type).flatMap(({ key }) => key);

/** Whether records are known by a GUID `id`. */
export function hasGuidKey(model: Model, type: EntityType): boolean {
  const property = propertiesOf(model, type).find(({ name }) => name === 'id');
  return (
    keyOf(model, type).join() === 'id' &&
    property?.isCollection === false &&
    underlying(model, property.type) === 'Edm.Guid'
  );
}

export const isOpen = (model: Model, type: EntityType): boolean =>
  lineage(model, type).some((each) => each.isOpen);

/** The type behind type definitions; undefined for a type of another document. */
export function underlying(
  model: Model,
  name: string,
): string | Exclude<CsdlType, TypeDefinition> | undefined {
  if (name.startsWith('Edm.')) return name;
  const type = model.types.get(name);
  return type?.kind === 'definition' ? underlying(model, type.underlyingType) : type;
}

/** The entity set that a navigation leads to: the bound one, or the only one with records of that type. */
export function targetSet(model: Model, set: EntitySet | null, { name, type }: Navigation): EntitySet | null {
  const bound = set?.bindings.get(name);
  if (bound !== undefined) return model.entitySets.get(bound) ?? null;
  const sets = [...model.entitySets.values()].filter((each) => each.type === type && !each.isSingleton);
  return sets.length === 1 ? (sets[0] ?? null) : null;
}

export interface RowOwner {
  readonly owner: EntityType;
  readonly navigation: Navigation;
}

const cache = new WeakMap<Model, ReadonlyMap<string, readonly RowOwner[]>>();

/**
 * The types whose records are read with rows of this type, named with its namespace: what they contain and nothing else
 * leads to, and the lines of documents. Empty for a type whose records are read by themselves, or of another document.
 */
export function rowOwners(model: Model, type: string): readonly RowOwner[] {
  let found = cache.get(model);
  if (!found) {
    found = findRowOwners(model);
    cache.set(model, found);
  }
  return found.get(type) ?? [];
}

function findRowOwners(model: Model): ReadonlyMap<string, readonly RowOwner[]> {
  const types = [...model.types.values()].filter((each) => each.kind === 'entity');
  const withSet = new Set(
    [...model.entitySets.values()].flatMap((set) => (set.isSingleton ? [] : [set.type])),
  );
  const owners = new Map<string, RowOwner[]>();
  for (const owner of types)
    for (const navigation of owner.navigations.filter(({ isCollection }) => isCollection)) {
      const list = owners.get(navigation.type) ?? [];
      list.push({ owner, navigation });
      owners.set(navigation.type, list);
    }
  return new Map(
    [...owners].flatMap(([name, all]): [string, RowOwner[]][] => {
      const type = model.types.get(name);
      if (type?.kind !== 'entity') return [];
      // A company has everything.
      const owning = all.filter(
        ({ owner, navigation }) => !isCompany(model, owner) && navigation.isContained,
      );
      if (!withSet.has(name)) return owning.length > 0 ? [[name, owning]] : [];
      const [only, ...others] = owning;
      const isLine =
        only && others.length === 0 && /Lines$/.test(only.navigation.name) && hasPartner(model, type, only);
      return isLine ? [[name, [only]]] : [];
    }),
  );
}

const isCompany = (model: Model, { name }: EntityType): boolean =>
  model.isBusinessCentral && name === 'company';

/** Whether a row leads back to its owner, and so belongs to one alone. */
const hasPartner = (model: Model, type: EntityType, { owner, navigation }: RowOwner): boolean =>
  navigationsOf(model, type).some(
    ({ name, type: target, isCollection }) =>
      !isCollection &&
      (navigation.partner === null || navigation.partner === name) &&
      lineage(model, owner).some(({ fullName }) => fullName === target),
  );
