import { expect, test } from 'vitest';
import { listEffectiveSettings } from '../../../src/config/effective-settings.ts';

const effective = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    listEffectiveSettings({ values, sources: new Map() }, 'serve').map(({ name, value }) => [name, value]),
  );

test('a default that depends on the command is that of the command', () => {
  expect(effective({})).toMatchObject({ PAGES: 'off', MAX_REQUESTS_PER_SECOND: 'no limit', PORT: '4000' });
});
