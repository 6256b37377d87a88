import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createInstruments } from '../../../src/observation/instruments.ts';
import { createUsageMetrics } from '../../../src/observation/usage-metrics.ts';

const minute = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('while all places are taken, those of clients and operations that were not used for an hour are given away', async () => {
  const registry = new Registry();
  const { recordUse } = createUsageMetrics(createInstruments(registry));
  const use = (name: string) =>
    recordUse({
      client: { name, version: null },
      name,
      outcome: 'OK',
      ms: 1,
      deprecated: ['Item.gtin'],
    });
  const countOf = async (name: string, label: 'client' | 'operation' = 'client') =>
    new RegExp(`^tributary_(?:client|named)_operations_total\\{${label}="${name}".* (\\d+)$`, 'm').exec(
      await registry.metrics(),
    )?.[1];

  for (let at = 0; at < 500; at += 1) use(`squatter-${at}`);
  use('app');
  expect([await countOf('app'), await countOf('other'), await countOf('squatter-0')]).toEqual([
    undefined,
    '401',
    '1',
  ]);

  vi.advanceTimersByTime(30 * minute);
  use('squatter-0');
  vi.advanceTimersByTime(31 * minute);
  use('app');
  use('app');

  expect([await countOf('app'), await countOf('app', 'operation')]).toEqual(['2', '2']);
  expect([await countOf('squatter-0'), await countOf('squatter-1'), await countOf('other')]).toEqual([
    '2',
    undefined,
    '401',
  ]);
  expect(await registry.metrics()).not.toContain('squatter-1"');
});
