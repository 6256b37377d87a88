import type { Config } from '../config/config.ts';
import { ConfigError, invalidSetting, missingSetting } from '../config/config-error.ts';
import { isLoopbackHost } from '../config/setting-types.ts';

/** The settings as `serve` takes them. Throws a `ConfigError` for what it needs besides. */
export function requireServeSettings(given: Config): Config {
  if (given.BUSINESS_URL === undefined && given.MANAGEMENT_URL === undefined) {
    throw new ConfigError([missingSetting('BUSINESS_URL or MANAGEMENT_URL', 'by `serve`')]);
  }
  return { ...given, INTROSPECTION: given.INTROSPECTION ?? 'off' };
}

/** The settings as they are. Throws a `ConfigError` for what `dev` does not take. */
export function requireDevSettings(config: Config): Config {
  const { HOST, PORT, SANDBOX_PORT } = config;
  if (!isLoopbackHost(HOST)) {
    const expected =
      'a loopback address, which is localhost, ::1 or one that begins with 127, because `dev` does not verify callers. Use `serve` for other addresses';
    throw new ConfigError([invalidSetting('HOST', HOST, expected)]);
  }
  if (needsSandbox(config) && PORT === SANDBOX_PORT && PORT !== 0 && isSandboxHost(HOST))
    throw new ConfigError([invalidSetting('PORT', String(PORT), 'another port than SANDBOX_PORT, or 0')]);
  return config;
}

/** The sandbox listens on 127.0.0.1. */
const isSandboxHost = (host: string) => /^(127\.0\.0\.1|localhost)$/i.test(host);

/** Whether `dev` starts the sandbox, in place of an upstream. */
export const needsSandbox = ({ BUSINESS_URL, MANAGEMENT_URL }: Config): boolean =>
  BUSINESS_URL === undefined || MANAGEMENT_URL === undefined;
