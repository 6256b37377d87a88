import { createRandom, derivedGuid, type Random } from '../../sandbox/seeded.ts';
import type { TestLayer } from '../support/layer.ts';
import type { Report, Seen } from './mutations.ts';
import type { Goods, RecordKind } from './record-kinds.ts';

/** One write as it was asked for and what was reported of it. */
export interface Attempt {
  readonly verb: 'create' | 'update' | 'delete';
  /** The mutation that held it. */
  readonly mutation: string;
  /** What an update appends to the log that it has read. */
  readonly mark: string | null;
  /** The state that the tag of a delete is of; null for other writes. */
  readonly state: Seen | null;
  readonly report: Report;
}

/** One record that is, or is not, made: what was asked of it and reported, in the order of the reports. */
export interface Subject {
  readonly kind: RecordKind;
  /** Holds the seed of the round and the number of the task. */
  readonly marker: string;
  readonly input: Readonly<Record<string, unknown>> & { readonly id?: string };
  /** The upstream refuses to create it. */
  readonly isHopeless: boolean;
  /** Several writers edit it at once. */
  isShared: boolean;
  /** When no create sent by now can still arrive. */
  calmAt: number;
  readonly attempts: Attempt[];
}

/** What the tasks of a round work on. */
export interface World {
  readonly seed: number;
  readonly layers: readonly TestLayer[];
  readonly goods: Goods;
  /** Whether a create may be repeated with its id. */
  readonly isKeyed: boolean;
  readonly writeTimeoutMs: number;
  /** How long after it was sent a late write arrives. */
  readonly slowMs: number;
  readonly subjects: Subject[];
  /** A short text that no other edit of the round has. */
  nextMark(): string;
}

/** One task of a round: always the same for the same seed and number. */
export interface Task {
  readonly world: World;
  readonly number: number;
  readonly random: Random;
  /** What it has made up so far. */
  readonly subjects: Subject[];
}

export const taskOf = (world: World, number: number): Task => ({
  world,
  number,
  random: createRandom(world.seed * 1_000_003 + number),
  subjects: [],
});

/** Makes up a record; nothing is sent. */
export function imagine(
  { world, number, random, subjects }: Task,
  kind: RecordKind,
  isHopeless = false,
): Subject {
  // In capitals, as servers keep codes; with an end, so that none begins another.
  const marker = `SOAK/${world.seed}/${number}.${subjects.length}/`;
  const id = derivedGuid(`${marker}:${random.between(0, 1e9)}`);
  const subject: Subject = {
    kind,
    marker,
    input: {
      ...(random.oneIn(5) === world.isKeyed ? {} : { id }),
      ...kind.fresh(random, world.goods),
      [kind.marker]: marker,
      ...(isHopeless ? kind.refused : {}),
    },
    isHopeless,
    isShared: false,
    calmAt: 0,
    attempts: [],
  };
  subjects.push(subject);
  world.subjects.push(subject);
  return subject;
}
