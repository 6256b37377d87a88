import { z } from 'zod';
import { callerSettings } from './callers.ts';
import { observationSettings } from './observation.ts';
import { guardSettings, operationSettings, serverSettings } from './server.ts';
import { businessSettings, callSettings, connectionSettings, managementSettings } from './upstreams.ts';

/** Every setting with its validation, default and description. README's table is tested against it. */
export const settingsSchema = z.object({
  ...serverSettings,
  ...businessSettings,
  ...managementSettings,
  ...callSettings,
  ...connectionSettings,
  ...callerSettings,
  ...guardSettings,
  ...operationSettings,
  ...observationSettings,
});

/** The validated settings by the names of their environment variables. */
export type Settings = z.output<typeof settingsSchema>;
export type SettingName = keyof Settings;
