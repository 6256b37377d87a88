import { hideQuery } from './config-error.ts';
import { emptyAllowedSettings, findVariable, secretSettings } from './setting-names.ts';
import { settingsSchema } from './settings.ts';
import { describeDefault } from './settings-page.ts';

/** Values by variable, and the source of each: `command line`, `environment` or `.env`. */
export interface GivenSettings {
  readonly values: Readonly<Record<string, string>>;
  readonly sources: ReadonlyMap<string, string>;
}

export interface EffectiveSetting {
  readonly name: string;
  /** The text as given; `(hidden)` for a secret; the path of a file. */
  readonly value: string;
  readonly source: string;
}

/** Lists every setting with its value and the source of the value. */
export function listEffectiveSettings({ values, sources }: GivenSettings): readonly EffectiveSetting[] {
  return Object.entries(settingsSchema.shape).map(([name, rule]) => {
    const variable = findVariable(name, values);
    const given = values[variable];
    const isGiven = Boolean(given) || (given === '' && emptyAllowedSettings.has(name));
    if (!isGiven) return { name, value: describeDefault(rule).replaceAll('`', ''), source: 'default' };
    const source = sources.get(variable) ?? 'environment';
    if (variable.endsWith('_FILE') && variable !== name)
      return { name, value: '(hidden)', source: `file ${given} (${variable}, ${source})` };
    return { name, value: secretSettings.has(name) ? '(hidden)' : hideQuery(given ?? ''), source };
  });
}
