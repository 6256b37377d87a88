import { expect, test } from 'vitest';
import { mergeLayers } from '../../../src/config/layers.ts';

const layer = (source: string, values: Readonly<Record<string, string | undefined>>) => ({
  sourceOf: (name: string) => `${source} of ${name}`,
  values,
});

test('the first layer that has a setting wins, however the setting is written', () => {
  const { values, sources } = mergeLayers([
    layer('first', {
      REDIS_URL: 'redis://first.example',
      https_proxy: 'http://first.example',
      PORT: undefined,
    }),
    layer('second', { REDIS_URL_FILE: '/second', HTTPS_PROXY: 'http://second.example', PORT: '2' }),
  ]);

  expect(values).toEqual({
    REDIS_URL: 'redis://first.example',
    https_proxy: 'http://first.example',
    PORT: '2',
  });
  expect(sources.get('PORT')).toBe('second of PORT');
});

test('an empty value is unset, so that the next layer counts', () => {
  const given = { PORT: '4061', OPERATION_SECRETS_FILE: '/secrets', HTTPS_PROXY: 'http://proxy.example' };
  const empty = { PORT: '', OPERATION_SECRETS: '', https_proxy: '', MAX_COST: '' };

  expect(mergeLayers([layer('first', empty), layer('second', given)]).values).toEqual(given);
});

test('an empty value of the scopes of areas B and C means none, and counts', () => {
  const layers = [layer('first', { MANAGEMENT_SCOPES: '' }), layer('second', { MANAGEMENT_SCOPES: 'a' })];

  expect(mergeLayers(layers).values).toEqual({ MANAGEMENT_SCOPES: '' });
  expect(mergeLayers(layers.toReversed()).values).toEqual({ MANAGEMENT_SCOPES: 'a' });
});
