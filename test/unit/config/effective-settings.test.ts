import { expect, test } from 'vitest';
import { listEffectiveSettings } from '../../../src/config/effective-settings.ts';

const effective = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    listEffectiveSettings({ values, sources: new Map() }, 'serve').map(({ name, value }) => [name, value]),
  );

test('a default that depends on another setting is the value that follows from it', () => {
  expect(effective({})).toMatchObject({ MAX_REQUESTS_PER_CALLER: '50', UPSTREAM_QUOTA: 'off' });
  expect(effective({ MAX_REQUESTS: '42', BUSINESS_DIALECT: 'dynamics' })).toMatchObject({
    MAX_REQUESTS_PER_CALLER: '11',
    UPSTREAM_QUOTA: '6000/300',
  });
});

test('a default that depends on the command is that of the command', () => {
  expect(effective({})).toMatchObject({ EXPLORER: 'off', MAX_REQUESTS_PER_SECOND: 'no limit', PORT: '4000' });
});
