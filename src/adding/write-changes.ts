import type { RecordFile } from '../business/record-files/record-file.ts';
import { compareRecordFiles, type RecordChanges } from './changes.ts';
import { planProject, type TypePair } from './plan-project.ts';
import { createPlan, formatDiff, isChanged, writePlannedFile } from './planned-files.ts';
import { printRecordFile } from './record-file-text.ts';
import type { AddingContext, AddRequest } from './request.ts';
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
  const plan = createPlan(target.readText, target.format);
  const types: TypePair[] = [];
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
    if (pair.existing !== pair.next) plan.change(path, () => printRecordFile(pair.next));
    types.push(pair);
  }
  if (target.isCheckout) planProject(types, plan, target, request, context);
  const changed = plan.list().filter(isChanged);
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
