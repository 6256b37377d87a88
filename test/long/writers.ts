import { setTimeout as sleep } from 'node:timers/promises';
import type { TestLayer } from '../support/layer.ts';
import { look, mutate, mutateMany, type Report, type Seen } from './mutations.ts';
import type { Subject, Task, World } from './subjects.ts';

const maxRepeats = 5;

/** Creates a subject; repeats it with its id, on any layer, where that is safe. Null when it was not made for sure. */
export async function create(task: Task, subject: Subject): Promise<Seen | null> {
  const { random, world } = task;
  for (let tries = 0; ; tries += 1) {
    const report = await createOnce(world, random.pick(world.layers), subject);
    if (report.outcome === 'made' || report.outcome === 'refused' || !mayRepeat(world, subject, tries))
      return report.record;
  }
}

/** The same for many of one kind at once; those that fail are repeated one by one. */
export async function createMany(task: Task, subjects: readonly Subject[]): Promise<(Seen | null)[]> {
  const { random, world } = task;
  const [{ kind }] = subjects as [Subject, ...Subject[]];
  const startedAt = performance.now();
  const inputs = subjects.map(({ input }) => input);
  const reports = await mutateMany(random.pick(world.layers), 'create', kind, inputs);
  for (const [index, report] of reports.entries())
    noteCreate(world, subjects[index] as Subject, `create${kind.type} in a batch`, startedAt, report);
  return Promise.all(
    subjects.map((subject, index) => {
      const { outcome, record } = reports[index] as Report;
      const isOpen = outcome === 'unknown' || outcome === 'failed';
      return isOpen && mayRepeat(world, subject, 0) ? create(task, subject) : record;
    }),
  );
}

/** Sends a create once, as a caller does who has lost the answer to an earlier one. */
export async function createOnce(world: World, layer: TestLayer, subject: Subject): Promise<Report> {
  const startedAt = performance.now();
  const report = await mutate(layer, 'create', subject.kind, subject.input);
  noteCreate(world, subject, `create${subject.kind.type}`, startedAt, report);
  return report;
}

/** An edit of a subject that is based on a state of it. */
export interface Edit {
  readonly subject: Subject;
  readonly base: Seen;
}

/** False when another mark would not fit. */
export const hasRoom = ({ kind }: Subject, { log }: Seen): boolean =>
  (log?.length ?? 0) + 6 <= (kind.log?.length ?? 0);

export async function update(task: Task, edit: Edit, layer = pickLayer(task)): Promise<Report> {
  const { kind } = edit.subject;
  const { input, mark } = changeOf(task, edit);
  const report = await mutate(layer, 'update', kind, input);
  note(edit, `update${kind.type}`, mark, report);
  return report;
}

/** Edits many records of one kind at once. */
export async function updateMany(task: Task, edits: readonly Edit[]): Promise<Report[]> {
  const [{ subject }] = edits as [Edit, ...Edit[]];
  const changes = edits.map((edit) => changeOf(task, edit));
  const reports = await mutateMany(
    pickLayer(task),
    'update',
    subject.kind,
    changes.map(({ input }) => input),
  );
  for (const [index, report] of reports.entries())
    note(edits[index] as Edit, `update${subject.kind.type} in a batch`, changes[index]?.mark ?? null, report);
  return reports;
}

/** The state to base the next edit on; null when the record is gone. */
export async function basis(task: Task, { subject, base }: Edit, report: Report): Promise<Seen | null> {
  if (report.record) return report.record;
  return report.outcome === 'failed' ? base : look(pickLayer(task), subject.kind, base.id);
}

/** Deletes a subject in a state of it. A create that is still on its way would bring it back, so that is waited for. */
export async function remove(
  task: Task,
  subject: Subject,
  state: Seen,
  layer = pickLayer(task),
): Promise<Report> {
  const wait = subject.calmAt - performance.now();
  if (wait > 0) await sleep(wait);
  const isBlind = task.random.oneIn(10);
  const { id, etag } = state;
  const { kind } = subject;
  const report = await mutate(layer, 'delete', kind, { id, ifMatch: isBlind ? '*' : etag });
  const mutation = `delete${kind.type}`;
  const seen = isBlind ? null : state;
  subject.attempts.push({ verb: 'delete', mutation, mark: null, state: seen, report });
  return report;
}

const pickLayer = ({ random, world }: Task): TestLayer => random.pick(world.layers);

const mayRepeat = (world: World, { input }: Subject, tries: number): boolean =>
  world.isKeyed && input.id !== undefined && tries < maxRepeats;

function changeOf({ random, world }: Task, { subject, base }: Edit) {
  const { kind } = subject;
  const mark = world.nextMark();
  const log = base.log === null ? mark : `${base.log}.${mark}`;
  const patch = { [kind.log?.field ?? '']: log, ...kind.extras(random) };
  return { mark, input: { id: base.id, ifMatch: base.etag, patch } };
}

function note({ subject }: Edit, mutation: string, mark: string | null, report: Report): void {
  subject.attempts.push({ verb: 'update', mutation, mark, state: null, report });
}

function noteCreate(
  world: World,
  subject: Subject,
  mutation: string,
  startedAt: number,
  report: Report,
): void {
  const now = performance.now();
  if (now - startedAt > world.writeTimeoutMs * 0.8) subject.calmAt = now + world.slowMs + 100;
  subject.attempts.push({ verb: 'create', mutation, mark: null, state: null, report });
}
