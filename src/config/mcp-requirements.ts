import { ConfigError, type ConfigMistake, missingSetting } from './config-error.ts';
import type { Settings } from './settings.ts';

/**
 * Throws a `ConfigError` where MCP would pass a client's token on, which its specification forbids, or would serve callers
 * that nobody has verified. `dev` is exempt: it serves this machine only.
 */
export function requireSafeMcp(config: Settings): void {
  const { MCP, PUBLIC_URL, JWT_ISSUER, JWT_AUDIENCE, JWT_JWKS_URL } = config;
  if (MCP === 'off') return;
  const mistakes: ConfigMistake[] = Object.entries({ PUBLIC_URL, JWT_ISSUER, JWT_AUDIENCE, JWT_JWKS_URL })
    .filter(([, value]) => value === undefined)
    .map(([name]) => missingSetting(name, 'when MCP is `on` or `ad-hoc`, except in `dev`'));
  for (const area of ['BUSINESS', 'MANAGEMENT'] as const)
    if (config[`${area}_URL`] !== undefined && config[`${area}_AUTH`] === 'forward')
      mistakes.push({
        variable: `${area}_AUTH`,
        message: `${area}_AUTH is \`forward\`, which passes the agent's token on: MCP forbids that. Set it to \`on-behalf-of\` or \`client-credentials\`, or MCP to \`off\`.`,
      });
  if (mistakes.length > 0) throw new ConfigError(mistakes);
}
