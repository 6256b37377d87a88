import { look, type Report, type Seen } from './mutations.ts';
import { recordKinds, salesQuotes } from './record-kinds.ts';
import { imagine, type Subject, type Task, taskOf, type World } from './subjects.ts';
import {
  basis,
  create,
  createMany,
  createOnce,
  type Edit,
  hasRoom,
  remove,
  update,
  updateMany,
} from './writers.ts';

const updatable = recordKinds.filter((kind) => kind !== salesQuotes);

/** A create alone: of any kind, now and then one that the upstream refuses, now and then sent again though made. */
async function once(task: Task): Promise<void> {
  const { random, world } = task;
  const subject = imagine(task, random.pick([salesQuotes, salesQuotes, ...recordKinds]), random.oneIn(6));
  const record = await create(task, subject);
  const isRepeatable = world.isKeyed && subject.input.id !== undefined && record !== null;
  if (isRepeatable && random.oneIn(3)) await createOnce(world, random.pick(world.layers), subject);
}

/** A record with one writer: created, edited some times, now and then on a stale state, mostly deleted. */
async function life(task: Task): Promise<void> {
  const { random } = task;
  const subject = imagine(task, random.pick(updatable));
  const first = await create(task, subject);
  if (!first) return;
  const last = await editing(task, subject, first, random.between(1, 4));
  if (!last || random.oneIn(8)) return;
  if (last.etag !== first.etag && random.oneIn(3)) await remove(task, subject, first);
  await removing(task, subject, last);
}

async function editing(task: Task, subject: Subject, first: Seen, edits: number): Promise<Seen | null> {
  const { random } = task;
  let base = first;
  for (let n = 0; n < edits && hasRoom(subject, base); n += 1) {
    const from = base.etag !== first.etag && random.oneIn(6) ? first : base;
    const edit: Edit = { subject, base: from };
    const next = await basis(task, edit, await update(task, edit));
    if (!next) return null;
    // A failure says nothing new, so a stale state is not taken for the present one.
    base = next === from ? base : next;
  }
  return base;
}

async function removing(task: Task, subject: Subject, last: Seen): Promise<void> {
  let present: Seen | null = last;
  for (let tries = 0; present && tries < 3; tries += 1) {
    const { outcome, code }: Report = await remove(task, subject, present);
    if (outcome === 'made' || (outcome === 'refused' && code !== 'STALE_RECORD')) return;
    present = await look(task.random.pick(task.world.layers), subject.kind, present.id);
  }
}

/** A record with three writers at once who merge, and perhaps two who delete it. */
async function contest(task: Task): Promise<void> {
  const { random, world } = task;
  const subject = imagine(task, random.pick(updatable));
  subject.isShared = true;
  const first = await create(task, subject);
  if (!first) return;
  const writers = Array.from({ length: 3 }, (_, index) => merging(task, subject, first, index));
  const [last] = await Promise.all(writers);
  if (!last || random.oneIn(2)) return;
  const present = await look(random.pick(world.layers), subject.kind, first.id);
  if (!present) return;
  await Promise.all(world.layers.map((layer) => remove(task, subject, present, layer)));
}

/** Makes some edits; each is merged with what others have made of the record until it is made or unknown. */
async function merging(task: Task, subject: Subject, first: Seen, writer: number): Promise<Seen | null> {
  const layer = task.world.layers[writer % task.world.layers.length];
  let base: Seen | null = first;
  for (let n = 0; n < 3; n += 1) {
    for (let tries = 0; tries < 8 && base && hasRoom(subject, base); tries += 1) {
      const edit: Edit = { subject, base };
      const report: Report = await update(task, edit, layer);
      base = await basis(task, edit, report);
      if (report.outcome === 'made' || report.outcome === 'unknown') break;
    }
  }
  return base;
}

/** Records created, edited and deleted many at once, some on a stale state. */
async function together(task: Task): Promise<void> {
  const { random } = task;
  const kind = random.pick(updatable);
  const subjects = Array.from({ length: random.between(2, 8) }, () => imagine(task, kind, random.oneIn(8)));
  const firsts = await createMany(task, subjects);
  const made = subjects.flatMap((subject, index) => {
    const first = firsts[index];
    return first ? [{ subject, first, base: first }] : [];
  });
  for (let n = random.between(1, 3); made.length > 0 && n > 0; n -= 1) {
    const edits = made.map(
      ({ subject, first, base }): Edit => ({ subject, base: random.oneIn(10) ? first : base }),
    );
    const reports = await updateMany(task, edits);
    for (const [index, one] of made.entries()) {
      const edit = edits[index] as Edit;
      const next = await basis(task, edit, reports[index] as Report);
      if (next && next !== edit.base) one.base = next;
    }
  }
  for (const { subject, base } of made) if (!random.oneIn(6)) await removing(task, subject, base);
}

const weights = { once: 6, life: 8, contest: 1, together: 3 };
const tasks = { once, life, contest, together };
const titles = (Object.keys(tasks) as (keyof typeof tasks)[]).flatMap((title) =>
  Array.from({ length: weights[title] }, () => title),
);

/** Runs tasks, so many at once, until there were `writes` creates, as many updates and half as many deletes. */
export async function work(world: World, writes: number, workers: number): Promise<void> {
  let number = 0;
  const isEnough = () => {
    const counts = { create: 0, update: 0, delete: 0 };
    for (const { attempts } of world.subjects) for (const { verb } of attempts) counts[verb] += 1;
    return Math.min(counts.create, counts.update, 2 * counts.delete) >= writes;
  };
  const worker = async () => {
    while (!isEnough()) {
      number += 1;
      const task = taskOf(world, number);
      const title = task.random.pick(titles);
      await tasks[title](task).catch((cause: unknown) => {
        throw new Error(`seed ${world.seed}, task ${task.number} (${title}) broke off: ${cause}`, { cause });
      });
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
