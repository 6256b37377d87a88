import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { reloadOf, reloadSettings } from '../../../src/config/reloading.ts';
import { settingsSchema } from '../../../src/config/settings.ts';

const config = readConfig({ BUSINESS_URL: 'https://business.example' }, () => '');
const names = Object.keys(settingsSchema.shape) as (keyof typeof settingsSchema.shape)[];

test.for(names.filter((name) => reloadOf(settingsSchema.shape[name]) === undefined))(
  '%s is not reloaded, and is named as one that needs a restart',
  (name) => {
    expect(reloadSettings(config, { ...config, [name]: 'another value' })).toEqual({
      settings: config,
      changed: [],
      needRestart: [name],
    });
  },
);

test.for(['BUSINESS_CLIENT_SECRET', 'MANAGEMENT_CLIENT_SECRET'] as const)(
  '%s is reloaded where it is replaced; where it is set or removed, after a restart',
  (name) => {
    const before = { ...config, [name]: 'before' };
    const after = { ...config, [name]: 'after' };

    expect(reloadSettings(before, after)).toEqual({ settings: after, changed: [name], needRestart: [] });
    expect(reloadSettings(before, config)).toEqual({ settings: before, changed: [], needRestart: [name] });
    expect(reloadSettings(config, after)).toEqual({ settings: config, changed: [], needRestart: [name] });
  },
);

test('equal values are no change, whatever object they are', () => {
  const again = readConfig({ BUSINESS_URL: 'https://business.example' }, () => '');
  expect(reloadSettings(config, again)).toEqual({ settings: config, changed: [], needRestart: [] });
});
