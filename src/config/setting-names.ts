import { type SettingName, settingsSchema } from './settings.ts';

/** Settings whose value can be in a file. The path of the file is in the variable `{name}_FILE`. */
export const secretSettings: ReadonlySet<string> = new Set<string>([
  'OPERATION_SECRETS',
  'REDIS_URL',
  'BUSINESS_CLIENT_SECRET',
  'MANAGEMENT_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'HTTPS_PROXY',
  'HTTP_PROXY',
] satisfies SettingName[]);

/** Settings that are the path of a file with the value. */
export const fileSettings: ReadonlySet<string> = new Set<string>([
  'TRUSTED_DOCUMENTS',
  'UPSTREAM_CLIENT_CERT_FILE',
  'UPSTREAM_CLIENT_KEY_FILE',
] satisfies SettingName[]);

/** Settings whose lower-case name takes precedence, as in other programs. */
export const lowerCaseSettings: ReadonlySet<string> = new Set<string>([
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
] satisfies SettingName[]);

/** Settings whose empty value differs from an unset one. An empty value means no scopes. */
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

/** Finds the variable that a setting is read from: its name, its name in lower case, or `{name}_FILE`. */
export function findVariable(name: string, env: Environment): string {
  if (lowerCaseSettings.has(name) && env[name.toLowerCase()]) return name.toLowerCase();
  return secretSettings.has(name) && env[`${name}_FILE`] ? `${name}_FILE` : name;
}

/** The setting that a variable sets, such as `REDIS_URL` for `REDIS_URL_FILE`; the variable itself if it sets none. */
export function toSettingName(variable: string): string {
  const withoutFile = variable.replace(/_FILE$/, '');
  if (secretSettings.has(withoutFile)) return withoutFile;
  return lowerCaseSettings.has(variable.toUpperCase()) ? variable.toUpperCase() : variable;
}

// Kubernetes and Docker set these variables in each container, for each service.
const serviceLink = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/;

/** Whether a variable is a service link. `ADMIN_PORT=tcp://10.96.0.12:80` is one of a service `admin`. */
const isServiceLink = ([name, value = '']: readonly [string, string | undefined]) =>
  serviceLink.test(name) || (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value));

/** Removes the service links of Kubernetes and Docker from the environment. */
export const withoutServiceLinks = (env: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(env).filter((entry) => !isServiceLink(entry)));
