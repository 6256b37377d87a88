import type { RecordFile, RecordTypeFile } from '../business/record-files/record-file.ts';
import { compareRecordFiles, type RecordChanges } from './changes.ts';
import { listKnownTypes } from './draft.ts';
import { formatDiff, isChanged, type PlannedFile, writePlannedFile } from './planned-files.ts';
import { addToPage, addToRegistry, listRegistered, projectFiles } from './project.ts';
import { printRecordFile } from './record-file-text.ts';
import type { AddingContext, AddRequest } from './request.ts';
import { sandboxSetText, whyNotServed } from './sandbox-set.ts';
import type { Target } from './target.ts';

/** A record file as it is, and as it would be; the same object where nothing changes. */
interface RecordPair {
  readonly name: string;
  readonly existing: RecordFile | null;
  readonly next: RecordFile;
}

/** Plans all files, then writes them, so that a mistake in one leaves nothing half written. */
export function writeChanges(
  pairs: readonly RecordPair[],
  target: Target,
  request: AddRequest,
  context: AddingContext,
): 0 | 1 {
  const { print } = context;
  const planned = new Map<string, PlannedFile>();
  const plan = (path: string, change: (text: string) => string) => {
    const before = planned.get(path)?.before ?? target.readText(path);
    const text = planned.get(path)?.after ?? before ?? '';
    const changed = change(text);
    const after = changed === text ? text : target.format(path, changed);
    planned.set(path, { path, before, after });
  };
  let isHeldBack = false;
  for (const pair of pairs) {
    const path = target.recordPath(pair.name);
    const isNew = pair.existing === null;
    if (!isNew && pair.existing !== pair.next) {
      const changes = compareRecordFiles(pair.existing, pair.next);
      print(`${path} differs from what the service has now:`);
      printChanges(changes, print);
      const reason = holdBack(changes, request);
      if (reason !== null) {
        print(
          formatDiff({ path, before: printRecordFile(pair.existing), after: printRecordFile(pair.next) }),
        );
        print(reason);
        isHeldBack = true;
        continue;
      }
    }
    if (pair.existing !== pair.next) plan(path, () => printRecordFile(pair.next));
    if (target.isCheckout && 'type' in pair.next)
      planProject(pair.next, pair.existing, plan, target, request, context);
  }
  const changed = [...planned.values()].filter(isChanged);
  for (const file of changed) {
    if (!request.dryRun) writePlannedFile(target.folder, file);
    const verb = file.before === null ? 'write' : 'change';
    print(
      request.dryRun
        ? `Would ${verb} ${file.path}.`
        : `${verb === 'write' ? 'Wrote' : 'Changed'} ${file.path}.`,
    );
  }
  if (changed.length === 0 && !isHeldBack) print('Nothing to do: everything is as the metadata says.');
  return isHeldBack ? 1 : 0;
}

function printChanges({ lines, breaks, surprises }: RecordChanges, print: (text: string) => void): void {
  for (const line of lines) print(`  ${line}`);
  if (breaks.length > 0) print('This breaks clients that use it:');
  for (const line of breaks) print(`  ${line}`);
  if (surprises.length > 0) print('Clients may not expect:');
  for (const line of surprises) print(`  ${line}`);
}

/** Why changes are not written; null where they are. */
function holdBack({ breaks }: RecordChanges, { update, allowBreaking }: AddRequest): string | null {
  if (!update) return 'Not overwritten. Run the command with --update to apply this.';
  if (breaks.length === 0 || allowBreaking) return null;
  return 'Not applied, because it breaks clients. Run the command with --update --allow-breaking to apply it.';
}

/** The sandbox's set, its line in the list, and the row of the documentation. */
function planProject(
  next: RecordTypeFile,
  existing: RecordFile | null,
  plan: (path: string, change: (text: string) => string) => void,
  target: Target,
  { update }: AddRequest,
  { recordTypes, print }: AddingContext,
): void {
  plan(projectFiles.page, (text) => addToPage(text, next));
  const reason = whyNotServed(next);
  if (reason !== null) {
    print(
      `The sandbox has no set made for ${next.entitySet}, because ${reason}. Write it by hand: CONTRIBUTING.md says how.`,
    );
    return;
  }
  const path = projectFiles.set(next.entitySet);
  const registered = listRegistered(target.readText(projectFiles.registry) ?? '');
  const sets = listKnownTypes(recordTypes, target.readOthers()).filter(({ entitySet }) =>
    registered.includes(entitySet),
  );
  const targets = new Map(sets.map(({ type, entitySet }) => [type, entitySet]));
  const textOf = (file: RecordTypeFile) => target.format(path, sandboxSetText(file, targets));
  const after = textOf(next);
  const current = target.readText(path);
  const base = existing && 'type' in existing ? textOf(existing) : null;
  if (current === null || (update && current === base)) plan(path, () => after);
  else if (current !== after && base !== after) {
    print(`${path} is written by hand and stays as it is.`);
    if (base !== null) print(`This would change in it:\n${formatDiff({ path, before: base, after })}`);
  }
  if (next.rows)
    print(
      `${path} has no lines: ${Object.keys(next.rows).join(', ')}. Add them as sandbox/business/sets/sales-orders.ts does.`,
    );
  plan(projectFiles.registry, (text) => addToRegistry(text, next.entitySet));
}
