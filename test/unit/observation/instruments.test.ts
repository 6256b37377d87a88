import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createCachedByName, createInstruments } from '../../../src/observation/instruments.ts';

const told = async (registry: Registry) =>
  (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('# HELP'));

test('a counter is told from nought on for the labels that are named', async () => {
  const registry = new Registry();
  const child = createInstruments(registry).counter<'kind'>('calls_total', 'Calls.');
  const [read] = [child({ kind: 'read' }), child({ kind: 'write' })];
  read();
  read();

  expect(await told(registry)).toEqual([
    '# TYPE calls_total counter',
    'calls_total{kind="read"} 2',
    'calls_total{kind="write"} 0',
  ]);
});

test('a histogram counts each value in all buckets that reach as far', async () => {
  const registry = new Registry();
  const observe = createInstruments(registry).histogram<'kind'>('parts', 'Parts.', [1, 10])({ kind: 'read' });
  for (const value of [0.5, 1, 10, 11]) observe(value);

  expect(await told(registry)).toEqual([
    '# TYPE parts histogram',
    'parts_bucket{kind="read",le="1"} 2',
    'parts_bucket{kind="read",le="10"} 3',
    'parts_bucket{kind="read",le="+Inf"} 4',
    'parts_sum{kind="read"} 22.5',
    'parts_count{kind="read"} 4',
  ]);
});

test('a gauge is looked at when it is asked for', async () => {
  const registry = new Registry();
  let value = 1;
  createInstruments(registry).gauge('open', 'Open.', () => [{ labels: {}, value }]);
  await told(registry);
  value = 7;

  expect(await told(registry)).toEqual(['# TYPE open gauge', 'open 7']);
});

test('two metrics of one name are a mistake', () => {
  const { counter } = createInstruments(new Registry());
  counter('calls_total', 'Calls.');

  expect(() => counter('calls_total', 'Others.')).toThrow('already been registered');
});

test('a child of a name is made once, those named beforehand at once', () => {
  const made: string[] = [];
  const childOf = createCachedByName(['a'], (name: 'a' | 'b') => {
    made.push(name);
    return name;
  });

  expect([...made]).toEqual(['a']);
  expect([childOf('b'), childOf('b'), childOf('a')]).toEqual(['b', 'b', 'a']);
  expect(made).toEqual(['a', 'b']);
});
