import { type SettingName, settingsSchema } from './settings.ts';

/** Settings that a file can hold, named by the variable with `_FILE` behind its name. */
export const secretSettings: ReadonlySet<string> = new Set<string>([
  'OPERATION_SECRETS',
  'REDIS_URL',
  'BUSINESS_CLIENT_SECRET',
  'MANAGEMENT_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'HTTPS_PROXY',
  'HTTP_PROXY',
] satisfies SettingName[]);

/** Settings that name a file whose content is the value. */
export const fileSettings: ReadonlySet<string> = new Set<string>([
  'TRUSTED_DOCUMENTS',
  'UPSTREAM_CLIENT_CERT_FILE',
  'UPSTREAM_CLIENT_KEY_FILE',
] satisfies SettingName[]);

/** Settings that other programs read in lower case first. */
export const lowerCaseSettings: ReadonlySet<string> = new Set<string>([
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
] satisfies SettingName[]);

/** Settings for which an empty value differs from an unset one: no scopes at all. */
export const emptyAllowedSettings: ReadonlySet<string> = new Set<string>([
  'MANAGEMENT_SCOPES',
] satisfies SettingName[]);

/** The names of all variables that are read. */
export const knownVariables: ReadonlySet<string> = new Set([
  ...Object.keys(settingsSchema.shape),
  ...[...secretSettings].map((name) => `${name}_FILE`),
  ...[...lowerCaseSettings].map((name) => name.toLowerCase()),
]);

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that a setting is read from: itself, its lower-case name, or the one of a file with its value. */
export function findVariable(name: string, env: Environment): string {
  if (lowerCaseSettings.has(name) && env[name.toLowerCase()]) return name.toLowerCase();
  return secretSettings.has(name) && env[`${name}_FILE`] ? `${name}_FILE` : name;
}

/** The setting that a variable gives, `REDIS_URL` for `REDIS_URL_FILE`; the variable itself where it gives none. */
export function toSettingName(variable: string): string {
  const withoutFile = variable.replace(/_FILE$/, '');
  if (secretSettings.has(withoutFile)) return withoutFile;
  return lowerCaseSettings.has(variable.toUpperCase()) ? variable.toUpperCase() : variable;
}

// Kubernetes and Docker set these in each container, for each service.
const serviceLink = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/;

/** `ADMIN_PORT=tcp://10.96.0.12:80` belongs to a service `admin`; with a number it is the setting. */
const isServiceLink = ([name, value = '']: readonly [string, string | undefined]) =>
  serviceLink.test(name) || (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value));

/** The environment without what Kubernetes and Docker set for services. */
export const withoutServiceLinks = (env: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(env).filter((entry) => !isServiceLink(entry)));
