import { type EntityType, lineage, type Model, type Navigation, navigationsOf } from './csdl/model.ts';

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
