import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { type SettingName, type Settings, settingsSchema } from './settings.ts';

export interface ReloadedSettings {
  /** The settings before, with the new values of those that are reloaded. */
  readonly settings: Settings;
  /** Names of the settings that are changed in `settings`. */
  readonly changed: readonly SettingName[];
  /** Names of the settings that differ, and take effect after a restart. */
  readonly needRestart: readonly SettingName[];
}

/** Whether a setting is reloaded on SIGHUP, and when; undefined if it takes effect after a restart. */
export const reloadOf = (rule: z.ZodType) => rule.meta()?.reload as 'always' | 'if set' | undefined;

export const describeReload = (rule: z.ZodType): 'yes' | 'if set' | undefined => {
  const reload = reloadOf(rule);
  return reload === 'always' ? 'yes' : reload;
};

/** The settings of a running process after a reload, from those that it has and those that a start would have now. */
export function reloadSettings(before: Settings, after: Settings): ReloadedSettings {
  const names = Object.keys(settingsSchema.shape) as SettingName[];
  const different = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const isChanged = (name: SettingName) => {
    const reload = reloadOf(settingsSchema.shape[name]);
    const isSet = before[name] !== undefined && after[name] !== undefined;
    return reload === 'always' || (reload === 'if set' && isSet);
  };
  const changed = different.filter(isChanged);
  return {
    settings: { ...before, ...Object.fromEntries(changed.map((name) => [name, after[name]])) },
    changed,
    needRestart: different.filter((name) => !isChanged(name)),
  };
}
