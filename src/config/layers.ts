import { emptyAllowedSettings, lowerCaseSettings, secretSettings } from './setting-names.ts';

/** Settings of one place, by the names of their variables. */
export interface SettingsLayer {
  /** How `check` calls the place of a variable: `environment`, `.env`, `tributary.yaml:3`. */
  sourceOf(variable: string): string;
  readonly values: Readonly<Record<string, string | undefined>>;
}

export interface MergedSettings {
  readonly values: Readonly<Record<string, string>>;
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Merges layers, the first of which wins. A setting counts once, however it is written: `REDIS_URL` in the environment
 * hides `REDIS_URL_FILE` of a file. An empty value is unset, so that a later layer counts, except in `emptyAllowedSettings`.
 */
export function mergeLayers(layers: readonly SettingsLayer[]): MergedSettings {
  const values: Record<string, string> = {};
  const sources = new Map<string, string>();
  const taken = new Set<string>();
  for (const layer of layers) {
    const given = Object.entries(layer.values).filter(([name]) => !taken.has(toSetting(name)));
    for (const [name, value] of given) {
      if (!value && !(value === '' && emptyAllowedSettings.has(name))) continue;
      values[name] = value;
      sources.set(name, layer.sourceOf(name));
      taken.add(toSetting(name));
    }
  }
  return { values, sources };
}

function toSetting(variable: string): string {
  const withoutFile = variable.replace(/_FILE$/, '');
  if (secretSettings.has(withoutFile)) return withoutFile;
  return lowerCaseSettings.has(variable.toUpperCase()) ? variable.toUpperCase() : variable;
}
