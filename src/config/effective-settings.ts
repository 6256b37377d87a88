import { hideQueryValues } from './config-error.ts';
import { emptyAllowedSettings, findVariable, secretSettings } from './setting-names.ts';
import { settingsSchema } from './settings.ts';
import { describeDefault } from './settings-page.ts';

/** Values by the names of their variables, and where each is from: `environment`, `.env`. */
export interface GivenSettings {
  readonly values: Readonly<Record<string, string>>;
  readonly sources: ReadonlyMap<string, string>;
}

export interface EffectiveSetting {
  readonly name: string;
  /** Text as it was given; `(hidden)` for a secret. Of a file, its path. */
  readonly value: string;
  readonly source: string;
}

/** Every setting with its value and where that comes from, as `command` takes it. */
export function listEffectiveSettings(
  { values, sources }: GivenSettings,
  command: 'dev' | 'serve',
): readonly EffectiveSetting[] {
  return Object.entries(settingsSchema.shape).map(([name, rule]) => {
    const variable = findVariable(name, values);
    const given = values[variable];
    const isGiven = Boolean(given) || (given === '' && emptyAllowedSettings.has(name));
    if (!isGiven) {
      const value = toPlainDefault(describeDefault(rule), command);
      return { name, value, source: 'default' };
    }
    const source = sources.get(variable) ?? 'environment';
    if (variable.endsWith('_FILE') && variable !== name)
      return { name, value: '(hidden)', source: `file ${given} (${variable}, ${source})` };
    return { name, value: secretSettings.has(name) ? '(hidden)' : hideQueryValues(given ?? ''), source };
  });
}

// One description covers both commands: "on in `dev`, off in `serve`".
function toPlainDefault(described: string, command: 'dev' | 'serve'): string {
  const ofCommand = described.split(', ').find((part) => part.endsWith(` in \`${command}\``));
  return ofCommand?.split(' ', 1)[0] ?? described.replaceAll('`', '');
}
