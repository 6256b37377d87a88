import type { Config } from '../config/config.ts';
import { ConfigError, invalidSetting, missingSetting } from '../config/config-error.ts';
import { requireSafeMcp } from '../config/mcp-requirements.ts';

/** The settings as `serve` takes them. Throws a `ConfigError` for what it needs besides. */
export function requireServeSettings(given: Config): Config {
  if (given.BUSINESS_URL === undefined && given.MANAGEMENT_URL === undefined) {
    throw new ConfigError([missingSetting('BUSINESS_URL or MANAGEMENT_URL', 'by `serve`')]);
  }
  requireSafeMcp(given);
  return { ...given, INTROSPECTION: given.INTROSPECTION ?? 'off' };
}

/** Throws a `ConfigError` for what `dev` does not take. */
export function requireDevSettings({ HOST }: Config): void {
  if (['127.0.0.1', 'localhost', '::1'].includes(HOST)) return;
  const expected =
    'a loopback address, because `dev` does not verify callers. Use `serve` for other addresses';
  throw new ConfigError([invalidSetting('HOST', HOST, expected)]);
}
