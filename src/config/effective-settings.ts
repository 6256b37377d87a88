import type { MergedSettings } from './layers.ts';
import { emptyAllowedSettings, findVariable, secretSettings } from './setting-names.ts';
import { settingsSchema } from './settings.ts';
import { describeDefault } from './settings-page.ts';

export interface EffectiveSetting {
  readonly name: string;
  /** Text as it was given; `(hidden)` for a secret. Of a file, its path. */
  readonly value: string;
  readonly source: string;
}

/** Every setting with its value and where that comes from, as `command` takes it. */
export function listEffectiveSettings(
  { values, sources }: MergedSettings,
  command: 'dev' | 'serve',
): readonly EffectiveSetting[] {
  return Object.entries(settingsSchema.shape).map(([name, rule]) => {
    const variable = findVariable(name, values);
    const given = values[variable];
    const isGiven = Boolean(given) || (given === '' && emptyAllowedSettings.has(name));
    if (!isGiven) return { name, value: toPlainDefault(describeDefault(rule), command), source: 'default' };
    const source = sources.get(variable) ?? 'environment';
    if (variable.endsWith('_FILE') && variable !== name)
      return { name, value: '(hidden)', source: `file ${given} (${variable}, ${source})` };
    return { name, value: secretSettings.has(name) ? '(hidden)' : (given ?? ''), source };
  });
}

// One description covers both commands: "on in `dev`, off in `serve`".
function toPlainDefault(described: string, command: 'dev' | 'serve'): string {
  const ofCommand = described.split(', ').find((part) => part.endsWith(` in \`${command}\``));
  return ofCommand?.split(' ', 1)[0] ?? described.replaceAll('`', '');
}
