import { ApiError } from '../api-error.ts';
import type { ApiRequest } from '../http.ts';

/** Reads the form of a token request. Throws an `ApiError` when it is invalid. */
export function readForm(request: ApiRequest): URLSearchParams {
  if (request.method !== 'POST') {
    throw new ApiError(405, 'invalid_request', 'A token request must be a POST.', {
      headers: { allow: 'POST' },
    });
  }
  if (request.isBodyTooLarge) throw new ApiError(413, 'invalid_request', 'The form is too large.');
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw oauthError('invalid_request', 'The content type must be application/x-www-form-urlencoded.');
  }
  const form = new URLSearchParams(request.body);
  if (hasRepeatedParameter(form)) throw oauthError('invalid_request', 'A parameter must not be repeated.');
  return form;
}

/** RFC 6749, section 3.1, forbids repeated parameters. */
export function hasRepeatedParameter(parameters: URLSearchParams): boolean {
  return new Set(parameters.keys()).size < parameters.size;
}

/** Returns a required field of a form. */
export function expectText(form: URLSearchParams, name: string): string {
  const text = form.get(name);
  if (!text) throw oauthError('invalid_request', `The form requires a '${name}'.`);
  return text;
}

/** An error with a code of RFC 6749, section 5.2. */
export function oauthError(error: string, description: string): ApiError {
  return new ApiError(400, error, description);
}
