import { expect, test } from 'vitest';
import { environment } from '../support/environment.ts';
import { runRound } from './round.ts';

// `SOAK_SEED=seed` repeats one round: the same tasks and the same faults, but in what order they meet is a matter of
// the clock. `SOAK_WORKERS=1` lets tasks come one by one.
const { SOAK_WRITES, SOAK_SEED, SOAK_WORKERS } = environment();
const writes = Number(SOAK_WRITES ?? 400);
const workers = Number(SOAK_WORKERS ?? 24);
// One with each dialect, and with each disturbance, at least.
const rounds = Math.max(3, Math.ceil(writes / 500));
const writesOfRound = Math.ceil(writes / rounds);
const seeds =
  SOAK_SEED === undefined ? Array.from({ length: rounds }, (_, index) => index + 1) : [Number(SOAK_SEED)];

test.for(['honour', 'drop', 'refuse'] as const)(
  'random writes end as reported, where chosen ids meet with %s',
  { timeout: 120_000 + writes * 300 },
  async (chosenIds) => {
    const violations: string[] = [];
    for (const seed of seeds) {
      const isOdd = seed % 2 === 1;
      const found = await runRound({
        seed,
        chosenIds,
        dialect: isOdd ? 'document' : 'dynamics',
        disturbance: (['usual', 'refusals', 'intermediaries'] as const)[seed % 3] ?? 'usual',
        reads: !isOdd || seed % 3 === 1,
        isLagging: !isOdd,
        isPrimed: seed % 4 !== 0,
        writes: writesOfRound,
        workers,
      });
      violations.push(...found);
    }

    expect(violations.join('\n')).toBe('');
  },
);
