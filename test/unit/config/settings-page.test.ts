import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { settingGroups, settingsSchema } from '../../../src/config/settings.ts';
import { formatSettingsPage, listExamples } from '../../../src/config/settings-page.ts';

const page = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| `([A-Z][A-Z0-9_]*)` \| (.*?) \| (.*?) \| (.*) \|$/gm)];

test('docs/settings.md is what `tributary settings` prints', () => {
  expect(page, 'npm run build && node dist/main.js settings > docs/settings.md').toBe(formatSettingsPage());
});

test('every setting is in one group, in the order of the schema', () => {
  const grouped = settingGroups.flatMap(({ settings }) => Object.keys(settings));
  expect(grouped).toEqual(Object.keys(settingsSchema.shape));
  expect(rows.map(([, name]) => name)).toEqual(grouped);
});

describe('the example of', () => {
  // Of these, the content of the file is the value.
  const isOfFile = (name: string) => /_(CERT_FILE|KEY_FILE)$|^TRUSTED_DOCUMENTS$/.test(name);
  const examples = Object.entries(settingsSchema.shape)
    .filter(([name]) => !isOfFile(name))
    .flatMap(([name, rule]) => listExamples(rule).map((example) => ({ name, example, rule })));

  test.each(examples)('$name, $example, is accepted', ({ rule, example }) => {
    expect(rule.safeParse(example).error).toBeUndefined();
  });
});
