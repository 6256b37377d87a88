import { setTimeout as sleep } from 'node:timers/promises';
import type { DialectName } from '../../sandbox/business/dialect.ts';
import type { ClientIdPolicy } from '../../sandbox/business/writes/client-ids.ts';
import { startTestLayer, type TestLayer } from '../support/layer.ts';
import { asDeployed } from '../support/proxies/disturbed.ts';
import { type JournalEntry, startTestSandbox, type TestSandbox } from '../support/sandbox.ts';
import { recordKinds } from './record-kinds.ts';
import { imagine, type Subject, taskOf, type World } from './subjects.ts';
import { judge, type Stored } from './verdict.ts';
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

export interface RoundResult {
  readonly subjects: readonly Subject[];
  /** What was reported and is not so. */
  readonly violations: readonly string[];
}

const writeTimeoutMs = 250;
const slowMs = 400;
const refreshMs = 100;

const usual = [
  'resetBefore',
  'resetAfter',
  'error500',
  'error500After',
  'error503',
  'error503After',
  'throttle',
  'truncated',
  'slow',
  'late',
  'omitted',
  'omittedBefore',
];

/** What a round meets: the usual faults, and with them refusals that are none, or what lies between layer and upstream. */
export const disturbances = {
  usual,
  // Rights do not come and go: what is refused for one was not carried out by a sending that comes late, either.
  refusals: [
    ...usual.filter((kind) => kind !== 'late'),
    'vanished',
    'noEnvironment',
    'forbidden500',
    'vanished',
    'noEnvironment',
  ],
  intermediaries: [...usual, 'repeated', 'unseen', 'interim', 'idleClose', 'repeated', 'unseen'],
} as const;

/** Random writes through two layers in front of one sandbox that fails at random, compared with what it then holds. */
export async function runRound(options: RoundOptions): Promise<RoundResult> {
  const { seed, chosenIds, dialect, disturbance, reads, isPrimed, isLagging, writes, workers } = options;
  // What is sent twice under no id of its own is made twice, and nobody can help it.
  const isKept = chosenIds === 'honour';
  const kinds = disturbances[disturbance].filter((kind) => isKept || kind !== 'repeated');
  const records = { customers: 20, items: 20, orders: 5, employees: 5, quotes: 5 };
  const sandbox = await startTestSandbox({ chosenIds, dialect, records });
  const settings = {
    ...asDeployed,
    // Short time-outs leave none to wait in.
    UPSTREAM_CALLS_PER_CALLER: '64',
    WRITE_TIMEOUT_MS: String(writeTimeoutMs),
    BUSINESS_DIALECT: dialect,
  };
  const layers = [await startTestLayer(sandbox.url, settings), await startTestLayer(sandbox.url, settings)];
  let replica: NodeJS.Timeout | undefined;
  try {
    const seeded = await storedIn(sandbox);
    const world = worldOf(options, layers, seeded);
    if (isPrimed) await prime(world);
    await disturb(sandbox, { seed, rate: 0.25, kinds, slowMs, reads });
    if (isLagging) replica = setInterval(() => sandbox.lag(true), refreshMs);
    await work(world, writes, workers);
    clearInterval(replica);
    await disturb(sandbox, { rate: 0 });
    // What is late comes now or never.
    await sleep(slowMs + 200);

    const stored = await storedIn(sandbox);
    const isRepeated = isKept && disturbance === 'intermediaries';
    const isProven = isKept && isPrimed && disturbance === 'usual';
    const promises = { isProven, isReadable: !reads, isRepeated };
    const calls = await sandbox.calls();
    const violations = world.subjects.flatMap((subject) =>
      judge(subject, world, promises, stored.get(subject.kind.set) ?? []).map(
        (fault) => `${told(options, subject)} ${fault}\n    ${traceOf(subject, calls).join('\n    ')}`,
      ),
    );
    return { subjects: world.subjects, violations: [...violations, ...strangers(world, seeded, stored)] };
  } finally {
    clearInterval(replica);
    await Promise.all(layers.map((layer) => layer.stop()));
    await sandbox.stop();
  }
}

type Records = ReadonlyMap<string, readonly Stored[]>;

async function storedIn(sandbox: TestSandbox): Promise<Records> {
  const sets = recordKinds.map(async ({ set }): Promise<[string, readonly Stored[]]> => {
    const response = await sandbox.send('GET', `/sandbox/records?set=${set}`);
    return [set, ((await response.json()) as { records: Stored[] }).records];
  });
  return new Map(await Promise.all(sets));
}

async function disturb(sandbox: TestSandbox, settings: Readonly<Record<string, unknown>>): Promise<void> {
  const response = await sandbox.send('POST', '/sandbox/chaos', settings);
  if (!response.ok) throw new Error(`chaos: ${response.status} ${await response.text()}`);
}

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

/** The calls that were about a subject, with what they met, and what was reported of each write. */
function traceOf({ attempts, marker, input }: Subject, calls: readonly JournalEntry[]): string[] {
  const shown = attempts.find(({ report }) => report.record !== null)?.report.record?.id;
  const keys = [marker, shown ?? input.id ?? marker];
  const about = (calls as readonly Met[]).filter(({ path, body }) =>
    keys.some((key) => path.includes(key) || body.includes(key)),
  );
  return [
    ...attempts.map(({ mutation, mark, way, report }) =>
      [mutation, way, mark, '→', report.code ?? report.outcome].filter((word) => word !== null).join(' '),
    ),
    ...about.map((call) => `${call.at} ${toldOf(call)}`),
  ];
}

interface Met extends JournalEntry {
  readonly at: string;
  readonly chaos?: string;
  readonly parts?: readonly (Pick<JournalEntry, 'method' | 'path' | 'status'> & { chaos?: string })[];
}

function toldOf({
  method,
  path,
  status,
  chaos,
  parts = [],
}: Pick<Met, 'method' | 'path' | 'status' | 'chaos' | 'parts'>): string {
  const inner = parts.map((part) => `${part.method} ${part.status}${part.chaos ? ` ${part.chaos}` : ''}`);
  const place = path.replace(/^.*companies\([^)]*\)/, '').replace(/\?.*/, '');
  return `${method} ${place} ${status} ${chaos ?? ''}${inner.length > 0 ? ` [${inner.join(', ')}]` : ''}`;
}
