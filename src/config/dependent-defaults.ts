import type { Settings } from './settings.ts';

/** The default is a quarter of all requests. */
export const getMaxRequestsPerCaller = ({
  MAX_REQUESTS,
  MAX_REQUESTS_PER_CALLER,
}: Pick<Settings, 'MAX_REQUESTS' | 'MAX_REQUESTS_PER_CALLER'>): number =>
  MAX_REQUESTS_PER_CALLER ?? Math.ceil(MAX_REQUESTS / 4);

// The quota of the real service for each user; that of the document's service is not known.
const dynamicsQuota = { calls: 6_000, seconds: 300 };

/** The quota of each caller at area A; null where none is known. */
export function getBusinessQuota({
  UPSTREAM_QUOTA,
  BUSINESS_DIALECT,
}: Pick<Settings, 'UPSTREAM_QUOTA' | 'BUSINESS_DIALECT'>): Exclude<Settings['UPSTREAM_QUOTA'], undefined> {
  if (UPSTREAM_QUOTA !== undefined) return UPSTREAM_QUOTA;
  return BUSINESS_DIALECT === 'dynamics' ? dynamicsQuota : null;
}
