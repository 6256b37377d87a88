import type { RecordTypeFile } from '../business/record-files/record-file.ts';
import { type KnownType, listKnownTypes } from './draft.ts';
import { formatDiff, type Plan } from './planned-files.ts';
import { addToPage, addToRegistry, placeInRegistry, projectFiles, readSetRoute } from './project.ts';
import type { AddingContext, AddRequest } from './request.ts';
import type { SandboxTarget, SandboxTargets } from './sandbox-rows.ts';
import { describeOmissions, madeBy, type SandboxSet, sandboxSets, whyNotServed } from './sandbox-set.ts';
import type { Target } from './target.ts';

/** The record file of a type as it is, and as it would be. */
export interface TypePair {
  readonly existing: RecordTypeFile | null;
  readonly next: RecordTypeFile;
}

/** Plans what a checkout has beside record files: rows of the documentation, sets of the sandbox and their lines in its list. */
export function planProject(
  pairs: readonly TypePair[],
  plan: Plan,
  target: Target,
  request: AddRequest,
  { recordTypes, print }: AddingContext,
): void {
  for (const { next } of pairs) plan.change(projectFiles.page, (text) => addToPage(text, next));
  const served = pairs.filter(({ next }) => {
    const reason = whyNotServed(next) ?? describeOtherSet(next, target);
    if (reason !== null)
      print(
        `The sandbox has no set made for ${next.entitySet}, because ${reason}. Write it by hand: CONTRIBUTING.md says how.`,
      );
    return reason === null;
  });
  const names = new Set(served.map(({ next }) => next.entitySet));
  for (const { next } of served)
    for (const { entitySet } of listSets(next, new Map(), target, names))
      plan.change(projectFiles.registry, (text) => addToRegistry(text, entitySet));
  const files = served.map(({ next }) => next);
  const types = [...listKnownTypes(recordTypes, target.readOthers()), ...listKnownTypes([], files)].filter(
    (type) => describeOtherSet(type, target) === null,
  );
  for (const pair of served) {
    const isMade = planSets(pair, types, names, plan, target, request, print);
    if (isMade) for (const omission of describeOmissions(pair.next)) print(omission);
  }
}

type Placed = Pick<KnownType, 'entitySet' | 'route'>;

/** Why the sandbox's set of this name is another one; null where it is not. */
function describeOtherSet({ entitySet, route }: Placed, target: Target): string | null {
  const text = target.readSet(entitySet);
  if (text === null) return null;
  if (/^ {4}hasAddress: false,$/m.test(text))
    return 'it has one of that name that is reached by $expand alone';
  const found = readSetRoute(text);
  return found === route ? null : `it has a set of that name at the route ${found}`;
}

/**
 * The sets of a record type that are its own: without those of rows where its set was written by hand, or where the rows are
 * an entity set that another record type has.
 */
function listSets(
  file: RecordTypeFile,
  targets: SandboxTargets,
  target: Target,
  others: ReadonlySet<string>,
): readonly SandboxSet[] {
  const sets = sandboxSets(file, targets);
  const text = target.readSet(file.entitySet);
  const hasRows = text === null || text.includes(madeBy(file.entitySet));
  const isOther = (entitySet: string) =>
    entitySet !== file.entitySet &&
    (!hasRows || others.has(entitySet) || target.readSet(entitySet)?.includes(madeBy(entitySet)) === true);
  return sets.filter(({ entitySet }) => !isOther(entitySet));
}

/** The sets of a record type. Those that were changed by hand stay. Returns whether its own is made. */
function planSets(
  { existing, next }: TypePair,
  types: readonly KnownType[],
  names: ReadonlySet<string>,
  plan: Plan,
  target: Target,
  { update }: AddRequest,
  print: (text: string) => void,
): boolean {
  const targets = listTargets(types, plan.read(projectFiles.registry), next);
  // The sets that the sandbox had when this one was made.
  const earlier = new Map(
    [...targets].filter(([, one]) => one.isSeededBefore || one.entitySet === next.entitySet),
  );
  const textsOf = (file: RecordTypeFile, of: SandboxTargets) =>
    listSets(file, of, target, names).map(({ entitySet, text }): readonly [string, string] => {
      const path = projectFiles.set(entitySet);
      return [path, target.format(path, text)];
    });
  const bases = existing
    ? [textsOf(existing, targets), textsOf(existing, earlier)].map((all) => new Map(all))
    : [];
  const made = new Set<string>();
  for (const [path, after] of textsOf(next, targets)) {
    const current = target.readText(path);
    const base = bases[0]?.get(path) ?? null;
    const isOwn = bases.some((texts) => texts.get(path) === current);
    if (current === null || (update && isOwn)) {
      if (current !== after) made.add(path);
      plan.change(path, () => after);
    } else if (current !== after && base !== after) {
      print(`${path} is written by hand and stays as it is.`);
      if (base !== null) print(`This would change in it:\n${formatDiff({ path, before: base, after })}`);
    }
  }
  return made.has(projectFiles.set(next.entitySet));
}

/** The sets of the sandbox that a type can refer to, by their types. */
function listTargets(
  types: readonly KnownType[],
  registry: string,
  { entitySet: own }: RecordTypeFile,
): SandboxTargets {
  const place = placeInRegistry(registry, own);
  return new Map(
    types.flatMap(({ type, entitySet, route }): [string, SandboxTarget][] => {
      const at = placeInRegistry(registry, entitySet);
      return at === -1 ? [] : [[type, { entitySet, route, isSeededBefore: at < place }]];
    }),
  );
}
