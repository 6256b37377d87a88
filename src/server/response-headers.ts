/** Headers of every response. No shared cache may store one; files of pages override that. */
export const commonHeaders = (requestId: string) => ({
  'x-request-id': requestId,
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
});
