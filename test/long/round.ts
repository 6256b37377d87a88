import type { DialectName } from '../../sandbox/business/dialect.ts';
import type { ClientIdPolicy } from '../../sandbox/business/writes/client-ids.ts';
import type { TestLayer } from '../support/layer.ts';
import { recordKinds } from './record-kinds.ts';
import { disturbances, type Stored, slowMs, startSoak, writeTimeoutMs } from './soak.ts';
import { imagine, type Subject, taskOf, type World } from './subjects.ts';
import { judge } from './verdict.ts';
import { work } from './workload.ts';
import { createOnce } from './writers.ts';

export interface RoundOptions {
  readonly seed: number;
  readonly chosenIds: ClientIdPolicy;
  readonly dialect: DialectName;
  readonly disturbance: keyof typeof disturbances;
  /** Whether reads are disturbed, too. */
  readonly reads: boolean;
  /** Whether plain reads are of the past, as from a replica that is brought up to date now and then. */
  readonly isLagging: boolean;
  /** Whether the layers know what becomes of chosen ids before anything is disturbed. */
  readonly isPrimed: boolean;
  /** How many creates there are at least, and updates; of deletes, half as many. */
  readonly writes: number;
  readonly workers: number;
}

const refreshMs = 100;

/** What was reported of random writes and is not so: what two layers in front of one sandbox say, and what that then holds. */
export async function runRound(options: RoundOptions): Promise<readonly string[]> {
  const { seed, chosenIds, dialect, disturbance, reads, isPrimed, isLagging, writes, workers } = options;
  // What is sent twice under no id of its own is made twice, and nobody can help it.
  const isKept = chosenIds === 'honour';
  const kinds = disturbances[disturbance].filter((kind) => isKept || kind !== 'repeated');
  const soak = await startSoak(chosenIds, dialect);
  const storedInAll = async (): Promise<Records> => {
    const sets = [...recordKinds.map(({ set }) => set), 'items'];
    return new Map(await Promise.all(sets.map(async (set) => [set, await soak.storedIn(set)] as const)));
  };
  let replica: NodeJS.Timeout | undefined;
  try {
    const seeded = await storedInAll();
    const world = worldOf(options, soak.layers, seeded);
    if (isPrimed) await prime(world);
    await soak.disturb({ seed, rate: 0.25, kinds, slowMs, reads });
    if (isLagging) replica = setInterval(() => soak.sandbox.lag(true), refreshMs);
    await work(world, writes, workers);
    clearInterval(replica);
    await soak.calm();

    const stored = await storedInAll();
    const isRepeated = isKept && disturbance === 'intermediaries';
    const isProven = isKept && isPrimed && disturbance === 'usual';
    const promises = { isProven, isReadable: !reads, isRepeated };
    const violations = world.subjects.flatMap((subject) =>
      judge(subject, world, promises, stored.get(subject.kind.set) ?? []).map(
        (fault) => `${told(options, subject)} ${fault}\n    ${traceOf(subject).join('\n    ')}`,
      ),
    );
    return [...violations, ...strangers(world, seeded, stored)];
  } finally {
    clearInterval(replica);
    await soak.stop();
  }
}

type Records = ReadonlyMap<string, readonly Stored[]>;

function worldOf({ seed, chosenIds }: RoundOptions, layers: readonly TestLayer[], seeded: Records): World {
  const ids = (set: string) => seeded.get(set)?.map(({ id }) => id) ?? [];
  let marks = 0;
  return {
    seed,
    layers,
    goods: { customers: ids('customers'), items: ids('items') },
    isKeyed: chosenIds === 'honour',
    writeTimeoutMs,
    slowMs,
    subjects: [],
    nextMark() {
      marks += 1;
      return marks.toString(36);
    },
  };
}

/** Lets every layer see what becomes of the ids of each set, before anything goes wrong. */
async function prime(world: World): Promise<void> {
  let number = 0;
  for (const layer of world.layers) {
    for (const kind of recordKinds) {
      for (let tries = 1; ; tries += 1) {
        number -= 1;
        const { outcome, code } = await createOnce(world, layer, imagine(taskOf(world, number), kind));
        if (outcome === 'made' || (outcome === 'refused' && !world.isKeyed)) break;
        // On a busy machine `writeTimeoutMs` may end before the upstream has the create, or after: that proves nothing.
        const isLate = outcome === 'unknown' || code === 'UPSTREAM_TIMEOUT';
        if (!isLate || tries === 10) throw new Error(`create of ${kind.set} without chaos: ${code}`);
      }
    }
  }
}

/** Records that no subject is, and seeded ones that were touched. */
function strangers(world: World, seeded: Records, stored: Records): string[] {
  return recordKinds.flatMap(({ set, marker }) => {
    const own = new Set(world.subjects.map((subject) => subject.marker));
    const others = (stored.get(set) ?? []).filter(({ values }) => !own.has(String(values[marker])));
    const before = (seeded.get(set) ?? []).map(({ id, etag }) => `${id} ${etag}`).join('\n');
    const after = others.map(({ id, etag }) => `${id} ${etag}`).join('\n');
    return before === after ? [] : [`seed ${world.seed}: seeded ${set} changed, or strangers came`];
  });
}

const told = ({ seed, chosenIds }: RoundOptions, { kind, marker }: Subject): string =>
  `seed ${seed} (${chosenIds}), ${kind.type} '${marker}':`;

/** What was reported of each write of a subject. */
const traceOf = ({ attempts }: Subject): string[] =>
  attempts.map(({ mutation, mark, report }) =>
    [mutation, mark, '→', report.code ?? report.outcome].filter((word) => word !== null).join(' '),
  );
