import type { Sandbox } from '#sandbox';
import type { Config } from '../config/config.ts';
import { describeEnvironment } from '../server/pages/environment.ts';
import { createExamples } from '../server/pages/examples.ts';
import type { ConsoleOptions, PagesOptions } from '../server/pages/pages.ts';
import { type SignIn, signInUrls } from '../server/pages/sign-in.ts';

export const sandboxToken = 'sandbox';

export function createPagesOptions(
  config: Config,
  sandbox: Sandbox | null,
  unlessSet: 'on' | 'off',
): PagesOptions {
  const signIn = createSignIn(config);
  const isServed = (config.PAGES ?? unlessSet) === 'on';
  const records = config.BUSINESS_URL === undefined ? sandbox?.examples : undefined;
  const instances = config.MANAGEMENT_URL === undefined ? sandbox?.examples : undefined;
  const { customerId, itemId } = records ?? { customerId: null, itemId: null };
  const companyId = config.BUSINESS_COMPANY_ID ?? null;
  return {
    examples: isServed ? createExamples({ companyId, customerId, itemId }) : null,
    journalUrl: sandbox && `${sandbox.url}/sandbox/journal`,
    console: isServed ? createConsoleOptions(config, sandbox) : null,
    // With one real upstream, the sandbox's token would be sent to it as well.
    token: records && instances && signIn === null ? sandboxToken : null,
    signIn,
  };
}

function createConsoleOptions(
  { BUSINESS_URL, MANAGEMENT_URL }: Config,
  sandbox: Sandbox | null,
): ConsoleOptions {
  const local = sandbox === null ? null : 'sandbox';
  return {
    subscriptionId: MANAGEMENT_URL === undefined ? (sandbox?.examples.instance.subscriptionId ?? null) : null,
    environment: describeEnvironment({
      business: BUSINESS_URL ?? local,
      management: MANAGEMENT_URL ?? local,
    }),
  };
}

function createSignIn({ AUTH_URL: url, AUTH_CLIENT_ID: clientId, AUTH_SCOPE: scope }: Config): SignIn | null {
  return url && clientId ? { ...signInUrls(url), clientId, scope } : null;
}
