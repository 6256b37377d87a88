import { UpstreamError, type UpstreamName } from '../errors.ts';

/**
 * Whether a failure to read a record says that the record does not exist. `proven`: it does. `possible`: it may. `unproven`:
 * it says nothing, as for a wrong environment, a route that is briefly missing or the error page of a proxy.
 */
export type Absence = 'proven' | 'possible' | 'unproven';

// Codes of the real services (docs/upstream.md).
const companyNotFoundCode = 'Internal_CompanyNotFound';
// Without `SubscriptionNotFound`, which callers without rights in a subscription get, too.
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
// The first also stands for unknown path segments. OData servers of other makers repeat the status as their code.
const possibleAbsenceCodes: ReadonlySet<unknown> = new Set(['BadRequest_ResourceNotFound', '404']);

/** Whether an error code in an upstream's JSON proves by itself that the resource does not exist. */
export const provesAbsence = (upstream: UpstreamName, code: string | null | undefined): boolean =>
  notFoundCodes[upstream].has(code ?? '');

export function classifyAbsence(failure: unknown): Absence {
  if (!(failure instanceof UpstreamError) || failure.status !== 404) return 'unproven';
  const { upstream, detail } = failure;
  // A proxy's error page may have a code of the same name; its error is UPSTREAM_NOT_FOUND.
  if (failure.code !== 'UPSTREAM_NOT_FOUND' && provesAbsence(upstream, detail?.code)) return 'proven';
  return upstream === 'business' && possibleAbsenceCodes.has(detail?.code) ? 'possible' : 'unproven';
}

/** Whether the upstream says that it has no such subscription, which holds for every path and operation in it. */
export const isSubscriptionMissing = (failure: unknown): boolean =>
  failure instanceof UpstreamError &&
  failure.status === 404 &&
  failure.detail?.code === 'SubscriptionNotFound';

/** Whether a failure proves that the company of the resource does not exist. */
export const isCompanyMissing = (failure: unknown): boolean =>
  classifyAbsence(failure) === 'proven' &&
  failure instanceof UpstreamError &&
  failure.detail?.code === companyNotFoundCode;
