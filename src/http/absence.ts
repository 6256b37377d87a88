import { UpstreamError, type UpstreamName } from '../errors.ts';

/**
 * What a failed read proves about the record. `proven`: it does not exist. `possible`: it may not exist. `unproven`:
 * nothing, as with a wrong environment, a route that is briefly missing or the error page of a proxy.
 */
export type Absence = 'proven' | 'possible' | 'unproven';

// Codes of the real services (docs/upstream.md).
const companyNotFoundCode = 'Internal_CompanyNotFound';
// Not `SubscriptionNotFound`, which callers without rights in an existing subscription get, too.
const managementNotFoundCodes = new Set([
  'NotFound',
  'ResourceNotFound',
  'ParentResourceNotFound',
  'ResourceGroupNotFound',
]);
const notFoundCodes: Readonly<Record<UpstreamName, ReadonlySet<string>>> = {
  business: new Set(['Internal_RecordNotFound', companyNotFoundCode]),
  instances: managementNotFoundCodes,
  health: managementNotFoundCodes,
};
// The first is also sent for unknown path segments. Some OData servers use the status as the code.
const possibleAbsenceCodes: ReadonlySet<unknown> = new Set(['BadRequest_ResourceNotFound', '404']);

/** Whether an error code of an upstream proves that the resource does not exist. */
export const provesAbsence = (upstream: UpstreamName, code: string | null | undefined): boolean =>
  notFoundCodes[upstream].has(code ?? '');

export function classifyAbsence(failure: unknown): Absence {
  if (!(failure instanceof UpstreamError) || failure.status !== 404) return 'unproven';
  const { upstream, detail } = failure;
  // The error page of a proxy may have a code of the same name; its error is UPSTREAM_NOT_FOUND.
  if (failure.code !== 'UPSTREAM_NOT_FOUND' && provesAbsence(upstream, detail?.code)) return 'proven';
  return upstream === 'business' && possibleAbsenceCodes.has(detail?.code) ? 'possible' : 'unproven';
}

/** Whether the upstream has no such subscription, so that every path in it fails the same way. */
export const isSubscriptionMissing = (failure: unknown): boolean =>
  failure instanceof UpstreamError &&
  failure.status === 404 &&
  failure.detail?.code === 'SubscriptionNotFound';

/** Whether a failure proves that the company of the resource does not exist. */
export const isCompanyMissing = (failure: unknown): boolean =>
  classifyAbsence(failure) === 'proven' &&
  failure instanceof UpstreamError &&
  failure.detail?.code === companyNotFoundCode;
