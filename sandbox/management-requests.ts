import { ApiError } from './api-error.ts';
import type { TokenErrorCodes } from './bearer.ts';
import { type ApiRequest, parseQuery } from './http.ts';

/** The error codes of areas B and C for the ways in which a token can be rejected. */
export const managementTokenErrors: TokenErrorCodes = {
  missing: 'InvalidAuthenticationToken',
  expired: 'ExpiredAuthenticationToken',
  denied: 'AuthorizationFailed',
};

export function checkMethod(request: ApiRequest, method: string): void {
  if (request.method === method) return;
  const headers = { allow: method };
  throw new ApiError(405, 'MethodNotAllowed', `The method '${request.method}' is not supported.`, {
    headers,
  });
}

/**
 * Throws an `ApiError` unless the request has the api-version of the area (Versioning). The errors: gap, see
 * docs/upstream.md.
 */
export function checkApiVersion(request: ApiRequest, version: string): void {
  const given = parseQuery(request.query).get('api-version');
  if (given === undefined || given === '') {
    throw new ApiError(
      400,
      'MissingApiVersionParameter',
      'The api-version query parameter (?api-version=) is required.',
    );
  }
  if (given !== version) {
    throw new ApiError(
      400,
      'InvalidApiVersionParameter',
      `The api-version '${given}' is invalid. The supported version is '${version}'.`,
      { target: 'api-version' },
    );
  }
}
