import type { Report } from './mutations.ts';
import type { Stored } from './soak.ts';
import type { Attempt, Subject, World } from './subjects.ts';

/** What must hold in a round beyond what always holds. */
export interface Promises {
  /** Ids are kept and every layer has proof of it: no create ends unknown. */
  readonly isProven: boolean;
  /** Some requests are delivered twice. */
  readonly isRepeated: boolean;
  /** Reads are left alone: a record that is there is shown. */
  readonly isReadable: boolean;
}

/** A sentence for each way in which what was reported of a subject is not what became of it. */
export function judge(
  subject: Subject,
  world: World,
  promises: Promises,
  stored: readonly Stored[],
): string[] {
  const found = stored.filter(({ values }) => values[subject.kind.marker] === subject.marker);
  const [record, another] = found;
  if (another) return [`there are ${found.length} of it: ${found.map(({ id }) => id).join(', ')}`];
  return [
    ...judgeCreates(subject, world, promises, record),
    ...judgeDeletes(subject, promises, record),
    ...judgePayloads(subject, promises, record),
    ...(record ? judgeUpdates(subject, promises, record) : judgeDeleted(subject, promises)),
  ];
}

const having = (attempts: readonly Attempt[], ...outcomes: Report['outcome'][]) =>
  attempts.filter(({ report }) => outcomes.includes(report.outcome));

const of = ({ attempts }: Subject, wanted: Attempt['verb']) => attempts.filter(({ verb }) => verb === wanted);

function judgeCreates(
  subject: Subject,
  { isKeyed }: World,
  { isProven, isRepeated }: Promises,
  record: Stored | undefined,
): string[] {
  const creates = of(subject, 'create');
  const [made] = having(creates, 'made');
  const unknown = having(creates, 'unknown');
  const faults: string[] = [];
  const removed = of(subject, 'delete').some(({ report }) => isRepeated && report.code === 'NOT_FOUND');
  const mayBeGone = removed || having(of(subject, 'delete'), 'made', 'unknown').length > 0;
  // Of a create under a chosen id that is delivered twice, the second finds the first.
  const isOwn = ({ report }: Attempt) => report.code === 'ALREADY_EXISTS' && subject.input.id !== undefined;
  const mayBeFound = isRepeated && creates.some(isOwn);
  const mayBeThere = made !== undefined || unknown.length > 0 || mayBeFound;

  if (made && !record && !mayBeGone) faults.push('reported made, but it is not there');
  if (!mayBeThere && record) faults.push('no create was reported made or unknown, but it is there');
  if (subject.isHopeless && made) faults.push('reported made, but the upstream refuses it');
  if (isProven && unknown.length > 0)
    faults.push(`${unknown.length} creates are unknown though ids are proven to be kept`);
  if (isKeyed && subject.input.id !== undefined && made?.report.record?.id !== (made && subject.input.id))
    faults.push(`made as ${made?.report.record?.id}, not under the id it was sent with`);

  const already = creates.findIndex(({ report }) => report.code === 'ALREADY_EXISTS');
  if (already >= 0 && !mayBeFound && !subject.isHopeless && !creates.slice(0, already).some(mayHaveMade))
    faults.push('ALREADY_EXISTS, though nothing could have made it before');
  const lines = subject.input.documentLines ?? subject.input.salesQuoteLines;
  if (record && Array.isArray(lines) && lines.length !== record.lines.length)
    faults.push(`made with ${record.lines.length} of ${lines.length} lines`);
  return faults;
}

const mayHaveMade = ({ report }: Attempt) => report.outcome === 'made' || report.outcome === 'unknown';

function judgeDeletes(subject: Subject, { isRepeated }: Promises, record: Stored | undefined): string[] {
  const deletes = of(subject, 'delete');
  if (deletes.length === 0) return [];
  if (having(deletes, 'made').length > 0) return record ? ['reported deleted, but it is there'] : [];
  if (having(deletes, 'unknown').length > 0 || record) return [];
  // Of a delete that is delivered twice, the second finds nothing: what is said is so.
  if (isRepeated && deletes.some(({ report }) => report.code === 'NOT_FOUND')) return [];
  return ['no delete was reported made or unknown, but it is gone'];
}

function judgePayloads(subject: Subject, { isReadable }: Promises, record: Stored | undefined): string[] {
  const { attempts, kind } = subject;
  const known = attempts.flatMap(({ report }) => (report.record ? [report.record.id] : []));
  const faults = [...new Set(known)].length > 1 ? [`shown under several ids: ${known.join(', ')}`] : [];
  if (record && known[0] !== undefined && known[0] !== record.id)
    faults.push(`shown as ${known[0]}, but it is ${record.id}`);
  for (const { verb, mutation, mark, report } of attempts) {
    const isShown = report.record !== null;
    const wants = verb === 'create' && report.outcome === 'made';
    const wantsIfReadable =
      verb === 'update' &&
      of(subject, 'delete').length === 0 &&
      (report.outcome === 'made' || report.outcome === 'unknown' || report.code === 'STALE_RECORD');
    if (!isShown && isReadable && (wants || wantsIfReadable))
      faults.push(`${mutation} (${mark ?? 'no mark'}) is ${report.code ?? 'made'} without the record`);
    const shows = report.record?.log?.split('.') ?? [];
    const isHere = kind.log !== null && isShown && report.outcome === 'made';
    if (isHere && mark !== null && !shows.includes(mark))
      faults.push(`${mutation} is made, but the record beside it lacks ${mark}`);
  }
  return faults;
}

/** What became of updates is in the log: a mark for each that was applied, in their order. */
function judgeUpdates(
  subject: Subject,
  { isRepeated }: Promises,
  { values, version, etag }: Stored,
): string[] {
  const log = subject.kind.log ? String(values[subject.kind.log.field]) : '';
  const faults = judgeLog(subject, log, isRepeated);
  const marks = marksIn(log).length;
  if (version - 1 !== marks) faults.push(`was changed ${version - 1} times, but its log has ${marks} marks`);
  const last = subject.attempts.findLast(({ report }) => report.outcome === 'made')?.report.record;
  const isPlain = !subject.isShared && having(subject.attempts, 'unknown').length === 0;
  if (isPlain && last && last.etag !== etag)
    faults.push('the tag last reported is not the one the record has');
  return faults;
}

/** What was deleted by a tag was in the state of that tag. */
function judgeDeleted(subject: Subject, { isRepeated }: Promises): string[] {
  const [last, another] = having(of(subject, 'delete'), 'made', 'unknown');
  if (!last?.state || another || last.report.outcome === 'unknown') return [];
  return judgeLog(subject, last.state.log ?? '', isRepeated);
}

const marksIn = (log: string) => (log === '' ? [] : log.split('.'));

/** F31 in docs/reliability.md: delivered twice, then changed by another writer before it was read again. */
const isStaleOrApplied = ({ report }: Attempt) => report.code === 'STALE_RECORD';

function judgeLog(subject: Subject, log: string, isRepeated: boolean): string[] {
  const updates = of(subject, 'update');
  const present = marksIn(log);
  const faults: string[] = [];
  const marks = updates.flatMap(({ mark }) => mark ?? []);
  for (const update of updates) {
    const { mutation, mark, report } = update;
    const times = present.filter((one) => one === mark).length;
    if (times > 1) faults.push(`${mutation}: ${mark} was applied ${times} times`);
    if (mark === null || times > 1 || report.outcome === 'unknown') continue;
    if (times === 0 && report.outcome === 'made') faults.push(`${mutation}: ${mark} is made, but is lost`);
    if (times === 1 && isRepeated && subject.isShared && isStaleOrApplied(update)) continue;
    if (times === 1 && report.outcome !== 'made')
      faults.push(`${mutation}: ${mark} is ${report.code}, but was applied`);
  }
  const strange = present.filter((mark) => !marks.includes(mark));
  if (strange.length > 0) faults.push(`holds the marks of others: ${strange.join(', ')}`);
  const places = present.map((mark) => marks.indexOf(mark));
  if (!subject.isShared && places.some((place, index) => place < (places[index - 1] ?? 0)))
    faults.push(`its marks are out of order: ${log}`);
  return faults;
}
