import { z } from 'zod';
import { callerSettings, signInSettings } from './callers.ts';
import { observationSettings } from './observation.ts';
import {
  documentSettings,
  loadSettings,
  processSettings,
  recordFileSettings,
  replicaSettings,
  serverSettings,
  subscriberSettings,
} from './server.ts';
import { businessSettings, callSettings, connectionSettings, managementSettings } from './upstreams.ts';

/** Every setting with its validation, default, description and examples. */
export const settingsSchema = z.object({
  ...serverSettings,
  ...businessSettings,
  ...managementSettings,
  ...callSettings,
  ...connectionSettings,
  ...callerSettings,
  ...signInSettings,
  ...documentSettings,
  ...loadSettings,
  ...subscriberSettings,
  ...replicaSettings,
  ...recordFileSettings,
  ...processSettings,
  ...observationSettings,
});

/** The settings by subject, in the order of `settingsSchema`. */
export const settingGroups: readonly {
  readonly title: string;
  readonly settings: Readonly<Record<string, z.ZodType>>;
}[] = [
  { title: 'Ports and shutdown', settings: serverSettings },
  { title: 'Business Records (A)', settings: businessSettings },
  { title: 'Instance Control (B) and Health Events (C)', settings: managementSettings },
  { title: 'Upstream calls', settings: callSettings },
  { title: 'Proxies and client certificates', settings: connectionSettings },
  { title: 'Callers', settings: callerSettings },
  { title: 'Sign-in', settings: signInSettings },
  { title: 'Documents and responses', settings: documentSettings },
  { title: 'Load', settings: loadSettings },
  { title: 'Origins and subscribers', settings: subscriberSettings },
  { title: 'Replicas and polling', settings: replicaSettings },
  { title: 'Files of records', settings: recordFileSettings },
  { title: 'Pages, compilation, log and sandbox', settings: processSettings },
  { title: 'Traces', settings: observationSettings },
];

/** The validated settings by the names of their environment variables. */
export type Settings = z.output<typeof settingsSchema>;
export type SettingName = keyof Settings;
