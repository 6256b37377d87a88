import { expect, test } from 'vitest';
import { createRandom } from '../../sandbox/seeded.ts';
import { environment } from '../support/environment.ts';
import { judgeLife, type Life, live, type StoredSets } from './order-lives.ts';
import { disturbances, slowMs, startSoak } from './soak.ts';

// As many lives as there are random writes (test/long/random-writes.test.ts), in rounds of at most 500.
const { SOAK_WRITES, SOAK_SEED } = environment();
const lives = Number(SOAK_WRITES ?? 150);
const rounds = Math.ceil(lives / 500);
const workers = 24;

// What an intermediary delivers twice is added twice: lines have no id of their own before they are added.
const kinds = [...disturbances.refusals, 'interim', 'idleClose'];

test.for(['honour', 'drop', 'refuse'] as const)(
  'orders from quote to invoice end as reported, where chosen ids meet with %s',
  { timeout: 120_000 + lives * 300 },
  async (chosenIds) => {
    const faults: string[] = [];
    const outcomes: Record<string, number> = {};
    for (let round = 1; round <= rounds; round += 1) {
      const seed = Number(SOAK_SEED ?? round);
      const all = await runRound(chosenIds, seed, Math.ceil(lives / rounds));
      faults.push(...all.flatMap(({ faults: own }) => own));
      for (const { life } of all)
        for (const outcome of life.postings) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }

    expect(faults.join('\n')).toBe('');
    // Every kind of outcome was met.
    expect(Object.keys(outcomes).sort()).toEqual(['made', 'refused', 'unknown']);
  },
);

/** Lives through two layers in front of one sandbox that fails at random. */
async function runRound(chosenIds: 'honour' | 'drop' | 'refuse', seed: number, count: number) {
  const soak = await startSoak(chosenIds, 'dynamics');
  const numbersOf = async (set: string) =>
    (await soak.storedIn(set)).map(({ values }) => String(values.number));
  try {
    const { layers, storedIn } = soak;
    const upstream = { layers, customers: await numbersOf('customers'), items: await numbersOf('items') };
    await soak.disturb({ seed, rate: 0.2, kinds, slowMs, reads: seed % 2 === 0 });
    const made: Life[] = [];
    let number = 0;
    const worker = async () => {
      while (number < count) {
        number += 1;
        const random = createRandom(seed * 1_000_003 + number);
        made.push(await live(upstream, random, `LIFE/${seed}/${number}/`));
      }
    };
    await Promise.all(Array.from({ length: workers }, worker));
    await soak.calm();
    const stored: StoredSets = {
      salesOrders: await storedIn('salesOrders'),
      salesQuotes: await storedIn('salesQuotes'),
      salesInvoices: await storedIn('salesInvoices'),
      salesShipments: await storedIn('salesShipments'),
    };
    return made.map((life) => ({ life, faults: judgeLife(life, stored) }));
  } finally {
    await soak.stop();
  }
}
