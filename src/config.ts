import { z } from 'zod';
import { callerSettings } from './config/callers.ts';
import { isLoopback } from './config/kinds.ts';
import { observationSettings } from './config/observation.ts';
import { guardSettings, operationSettings, serverSettings } from './config/server.ts';
import { businessSettings, callSettings, managementSettings } from './config/upstreams.ts';

/** Every setting: its rule, its default and, as description, what it means. README's table is tested against it. */
export const environment = z.object({
  ...serverSettings,
  ...businessSettings,
  ...managementSettings,
  ...callSettings,
  ...callerSettings,
  ...guardSettings,
  ...operationSettings,
  ...observationSettings,
});

export type Config = z.output<typeof environment>;
type Variable = keyof Config;

/** A mistake in the settings: which variable, what it holds and what it may hold. */
export interface ConfigMistake {
  readonly variable: string;
  /** The value as given; null for secrets and for what is not set. */
  readonly value: string | null;
  readonly expected: string;
}

/** All mistakes in the settings at once, a line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly mistakes: readonly ConfigMistake[];

  constructor(mistakes: readonly ConfigMistake[]) {
    super(mistakes.map(describeMistake).join('\n'));
    this.mistakes = mistakes;
  }
}

function describeMistake({ variable, value, expected }: ConfigMistake): string {
  return `${variable}${value === null ? '' : ` is ${JSON.stringify(value)}`}: expected ${expected}`;
}

const secrets = new Set<string>([
  'OPERATION_SECRETS',
  'REDIS_URL',
  'BUSINESS_CLIENT_SECRET',
  'MANAGEMENT_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
] satisfies Variable[]);

/** Settings that name a file and mean what it holds. */
const files = new Set<string>(['TRUSTED_DOCUMENTS_MANIFEST'] satisfies Variable[]);

type Given = Readonly<Record<string, string>>;

interface Need {
  readonly needed: readonly Variable[];
  readonly by: Variable;
  readonly isThere: (given: Given) => boolean;
}

const isSet = (by: Variable) => (given: Given) => given[by] !== undefined;
const verified = ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'] as const;
const credentials = (area: 'BUSINESS' | 'MANAGEMENT') =>
  [`${area}_TOKEN_URL`, `${area}_CLIENT_ID`, `${area}_CLIENT_SECRET`] as const;
const isGranted = (given: Given, area: 'BUSINESS' | 'MANAGEMENT') =>
  ['client-credentials', 'on-behalf-of'].includes(given[`${area}_AUTH`] ?? '');
const isOpen = ({ HOST = '127.0.0.1' }: Given) => !isLoopback(HOST);

// What would silently be without effect, or open to everybody, is not left out by anybody who means it.
const needs: readonly Need[] = [
  { needed: credentials('BUSINESS'), by: 'WEBHOOK_URL', isThere: isSet('WEBHOOK_URL') },
  ...(['BUSINESS', 'MANAGEMENT'] as const).flatMap((area): Need[] => [
    { needed: credentials(area), by: `${area}_AUTH`, isThere: (given) => isGranted(given, area) },
    { needed: verified, by: `${area}_AUTH`, isThere: (given) => isGranted(given, area) && isOpen(given) },
  ]),
  ...[...verified, 'WRITE_SCOPES' as const, 'OPERATE_SCOPES' as const].map(
    (by): Need => ({ needed: verified, by, isThere: isSet(by) }),
  ),
  {
    needed: ['TRUSTED_DOCUMENTS_MANIFEST'],
    by: 'TRUSTED_DOCUMENTS',
    isThere: ({ TRUSTED_DOCUMENTS: mode }) => mode === 'prefer' || mode === 'require',
  },
  { needed: ['AUTH_CLIENT_ID'], by: 'AUTH_URL', isThere: isSet('AUTH_URL') },
  { needed: ['AUTH_URL'], by: 'AUTH_CLIENT_ID', isThere: isSet('AUTH_CLIENT_ID') },
];

/**
 * The settings in an environment. An empty variable counts as not set; `NAME_FILE` gives the file a secret is
 * read from. Throws `ConfigError` with every mistake.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): Config {
  const given: Record<string, string> = {};
  const mistakes: ConfigMistake[] = [];
  for (const name of Object.keys(environment.shape)) {
    const source = secrets.has(name) && env[`${name}_FILE`] ? `${name}_FILE` : name;
    const isFile = source !== name || files.has(name);
    try {
      const value = isFile && env[source] ? readFile(env[source]).trim() : env[source];
      if (value) given[name] = value;
    } catch {
      mistakes.push({ variable: source, value: env[source] ?? null, expected: 'a file that can be read' });
    }
  }
  const result = environment.safeParse(given);
  const shown = (name: string) => (files.has(name) ? env[name] : given[name]?.replace(/\/\/[^/]*@/, '//…@'));
  for (const issue of result.error?.issues ?? []) {
    const variable = String(issue.path[0]);
    const value = secrets.has(variable) ? null : (shown(variable) ?? null);
    mistakes.push({ variable, value, expected: issue.message });
  }
  for (const { needed, by, isThere } of needs) {
    for (const variable of isThere(given) ? needed : []) {
      const isTold = mistakes.some((mistake) => [variable, `${variable}_FILE`].includes(mistake.variable));
      if (given[variable] === undefined && !isTold)
        mistakes.push({ variable, value: null, expected: `a value, as ${by} has one` });
    }
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    const expected =
      'no value: with it any server could pass for an upstream. NODE_EXTRA_CA_CERTS adds authorities.';
    mistakes.push({ variable: 'NODE_TLS_REJECT_UNAUTHORIZED', value: '0', expected });
  }
  if (mistakes.length > 0 || !result.data) throw new ConfigError(mistakes);
  return result.data;
}
