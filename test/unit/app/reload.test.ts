import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createReload } from '../../../src/app/reload.ts';
import { type Config, readConfig } from '../../../src/config/config.ts';
import { ConfigError } from '../../../src/config/config-error.ts';

const configOf = (settings: Readonly<Record<string, string>>): Config =>
  readConfig({ BUSINESS_URL: 'https://business.example', ...settings }, () => '');

function start(fail = (_updates: number) => {}) {
  const settings = { current: configOf({}) };
  const messages: string[] = [];
  const outcomes: string[] = [];
  let updates = 0;
  const reload = createReload({
    settings,
    async update() {
      updates += 1;
      fail(updates);
    },
    metrics: { settingsReloaded: (outcome) => void outcomes.push(outcome) },
    log: pino({ level: 'warn' }, { write: (line) => void messages.push(JSON.parse(line).msg) }),
  });
  return { settings, messages, outcomes, reload, updates: () => updates };
}

test('one reload runs, and one waits for all that are asked for meanwhile', async () => {
  const { settings, messages, reload } = start();
  const reads: string[] = [];
  let finishFirst = (_config: Config) => {};
  const first = reload(
    () =>
      new Promise((resolve) => {
        reads.push('first');
        finishFirst = resolve;
      }),
  );
  await expect.poll(() => reads).toEqual(['first']);
  const others = Array.from({ length: 50 }, () =>
    reload(async () => {
      reads.push('second');
      return configOf({ MAX_COST: '20', PORT: '1' });
    }),
  );
  finishFirst(configOf({ MAX_COST: '10' }));
  await Promise.all([first, ...others]);

  expect(reads).toEqual(['first', 'second']);
  expect(settings.current).toMatchObject({ MAX_COST: 20, PORT: 4000 });
  expect(messages).toEqual([
    'Settings reloaded: MAX_COST.',
    'Settings reloaded: MAX_COST. Takes effect after a restart: PORT.',
  ]);
});

test('a reload that is refused applies nothing, and the next one is not held up by it', async () => {
  const { settings, messages, outcomes, reload, updates } = start();
  const before = settings.current;

  await reload(async () => {
    throw new ConfigError([{ variable: 'PORT', message: 'PORT is "x": expected a port.' }]);
  });
  expect([settings.current === before, updates()]).toEqual([true, 0]);
  await reload(async () => configOf({ LOG_LEVEL: 'silent' }));
  await reload(async () => configOf({ MAX_COST: '10' }));

  expect(outcomes).toEqual(['rejected', 'applied', 'applied']);
  expect(messages).toEqual([
    'The settings were not reloaded, nothing is changed. PORT is "x": expected a port.',
    'Settings reloaded: MAX_COST, LOG_LEVEL.',
  ]);
});

test('an internal error of a reload is logged, and the next one runs', async () => {
  const { settings, messages, reload } = start((updates) => {
    if (updates === 1) throw new Error('broken');
  });

  await reload(async () => configOf({ MAX_COST: '10' }));
  await reload(async () => configOf({ MAX_COST: '20' }));

  expect(messages).toEqual(['The settings were reloaded in part.', 'Settings reloaded: MAX_COST.']);
  expect(settings.current.MAX_COST).toBe(20);
});
