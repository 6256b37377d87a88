import type { Sandbox } from '#sandbox';
import type { Config } from '../config/config.ts';
import { describeEnvironment } from '../server/pages/environment.ts';
import { createExamples } from '../server/pages/examples.ts';
import type { PagesOptions } from '../server/pages/pages.ts';
import { signInUrls } from '../server/pages/sign-in.ts';

export const sandboxToken = 'sandbox';

export function createPagesOptions(
  config: Config,
  sandbox: Sandbox | null,
  unlessSet: 'on' | 'off',
): PagesOptions {
  const { BUSINESS_URL, MANAGEMENT_URL, AUTH_URL: authUrl, AUTH_CLIENT_ID: clientId } = config;
  const signIn = authUrl && clientId ? { ...signInUrls(authUrl), clientId, scope: config.AUTH_SCOPE } : null;
  const isServed = (config.PAGES ?? unlessSet) === 'on';
  const records = BUSINESS_URL === undefined ? sandbox?.examples : undefined;
  const instances = MANAGEMENT_URL === undefined ? sandbox?.examples : undefined;
  const { customerId, itemId } = records ?? { customerId: null, itemId: null };
  const companyId = config.BUSINESS_COMPANY_ID ?? null;
  const local = sandbox === null ? null : 'sandbox';
  return {
    examples: isServed ? createExamples({ companyId, customerId, itemId }) : null,
    journalUrl: sandbox && `${sandbox.url}/sandbox/journal`,
    console: isServed
      ? {
          subscriptionId: instances?.instance.subscriptionId ?? null,
          environment: describeEnvironment({
            business: BUSINESS_URL ?? local,
            management: MANAGEMENT_URL ?? local,
          }),
        }
      : null,
    // With one real upstream, the sandbox's token would be sent to it as well.
    token: records && instances && signIn === null ? sandboxToken : null,
    signIn,
  };
}
