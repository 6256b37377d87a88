import { createSecureContext } from 'node:tls';
import { type ConfigMistake, missingSetting } from './config-error.ts';
import { isLoopbackHost } from './setting-types.ts';
import type { SettingName, Settings } from './settings.ts';

/** The settings that are set, as text. */
type SettingTexts = Readonly<Partial<Record<string, string>>>;

interface Requirement {
  readonly required: readonly SettingName[];
  /** Completes "X is required …". */
  readonly condition: string;
  applies(given: SettingTexts): boolean;
}

const jwtSettings = ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'] as const;
const clientSettings = (area: 'BUSINESS' | 'MANAGEMENT') =>
  [`${area}_TOKEN_URL`, `${area}_CLIENT_ID`, `${area}_CLIENT_SECRET`] as const;

const whenSet = (name: SettingName, required: readonly SettingName[]): Requirement => ({
  required,
  condition: `when ${name} is set`,
  applies: (given) => given[name] !== undefined,
});

const isObtainingTokens = (given: SettingTexts, area: 'BUSINESS' | 'MANAGEMENT') =>
  ['client-credentials', 'on-behalf-of'].includes(given[`${area}_AUTH`] ?? '');

// Without the required settings, these settings would have no effect, or would give access to everybody.
const requirements: readonly Requirement[] = [
  ...(['BUSINESS', 'MANAGEMENT'] as const).flatMap((area): Requirement[] => [
    {
      required: clientSettings(area),
      condition: `when ${area}_AUTH is \`client-credentials\` or \`on-behalf-of\``,
      applies: (given) => isObtainingTokens(given, area),
    },
    {
      required: jwtSettings,
      condition: `when ${area}_AUTH is \`client-credentials\` or \`on-behalf-of\` and HOST is not a loopback address`,
      applies: (given) => isObtainingTokens(given, area) && !isLoopbackHost(given.HOST ?? '127.0.0.1'),
    },
  ]),
  ...[...jwtSettings, 'WRITE_SCOPES' as const, 'OPERATE_SCOPES' as const].map((name) =>
    whenSet(name, jwtSettings),
  ),
  whenSet('UPSTREAM_CLIENT_CERT_FILE', ['UPSTREAM_CLIENT_KEY_FILE']),
  whenSet('UPSTREAM_CLIENT_KEY_FILE', ['UPSTREAM_CLIENT_CERT_FILE']),
  whenSet('AUTH_URL', ['AUTH_CLIENT_ID']),
  whenSet('AUTH_CLIENT_ID', ['AUTH_URL']),
];

/** Finds missing settings. Reports each setting once. */
export function findMissingSettings(given: SettingTexts): ConfigMistake[] {
  const missing = new Map<string, ConfigMistake>();
  for (const { required, condition, applies } of requirements) {
    if (!applies(given)) continue;
    for (const name of required)
      if (given[name] === undefined && !missing.has(name)) missing.set(name, missingSetting(name, condition));
  }
  return [...missing.values()];
}

/** Checks that the client certificate and its key match. */
export function findCertificateMistake({
  UPSTREAM_CLIENT_CERT_FILE: cert,
  UPSTREAM_CLIENT_KEY_FILE: key,
}: Settings): ConfigMistake | null {
  if (cert === undefined || key === undefined) return null;
  try {
    createSecureContext({ cert, key });
    return null;
  } catch (error) {
    // The reason comes from OpenSSL, such as `key values mismatch`, and quotes neither file.
    const { reason = 'unknown' } = error as { reason?: string };
    return {
      variable: 'UPSTREAM_CLIENT_KEY_FILE',
      message: `UPSTREAM_CLIENT_KEY_FILE cannot be used with UPSTREAM_CLIENT_CERT_FILE: ${reason}. Expected the private key of the certificate in PEM, not encrypted.`,
    };
  }
}
