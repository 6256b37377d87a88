import type { Config } from './config.ts';
import { isLoopbackHost } from './setting-types.ts';

/** Returns a sentence for each setting that is valid and probably not meant. `check` prints them, `serve` logs them. */
export function listWarnings({ HOST, BUSINESS_URL = '', ...config }: Config): readonly string[] {
  const warnings: string[] = [];
  if (config.OPERATION_SECRETS === undefined)
    warnings.push('OPERATION_SECRETS is not set: handles and cursors are valid in this process only.');
  if (!isLoopbackHost(HOST) && config.JWT_ISSUER === undefined)
    warnings.push(
      `HOST is ${HOST} and callers are not verified: whoever reaches the port can send any token to the upstreams. Set JWT_ISSUER, JWT_AUDIENCE and JWT_JWKS_URL.`,
    );
  if (/\/api\/v\d+\.\d+\/?(?:\?|$)/.test(BUSINESS_URL))
    warnings.push('BUSINESS_URL ends in the path of an API. `/api/v2.0` is appended to it: leave that out.');
  if (BUSINESS_URL.includes('//api.businesscentral.dynamics.com/') && config.BUSINESS_DIALECT === 'document')
    warnings.push(
      'BUSINESS_URL is Business Central online: set BUSINESS_DIALECT=dynamics (docs/connect.md).',
    );
  if (config.MANAGEMENT_URL?.includes('//management.azure.com'))
    for (const name of ['INSTANCES_TYPE', 'HEALTH_PROVIDER'] as const)
      if (config[name].startsWith('Vendor.'))
        warnings.push(`MANAGEMENT_URL is Azure: set ${name} (docs/connect.md).`);
  return warnings;
}
