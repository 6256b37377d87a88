import { ApiError } from '../api-error.ts';
import { type ApiRequest, decodeSegment } from '../http.ts';

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

/** The client that a request claims to be from. */
export interface ClaimedClient {
  readonly id: string;
  readonly secret: string | undefined;
}

/** The clients that can request tokens. */
export interface Clients {
  /** Ids of all clients. */
  readonly ids: readonly string[];
  /** True for a client without a secret. */
  isPublic(id: string): boolean;
  /** True for a client with the right secret, and for a public client without one. */
  hasValidSecret(client: ClaimedClient): boolean;
}

/** A client in `secretsById` takes precedence over a public client with the same id. */
export function createClients(
  secretsById: Readonly<Record<string, string>>,
  publicIds: readonly string[],
): Clients {
  const secrets = new Map(Object.entries(secretsById));
  const isPublic = (id: string): boolean => publicIds.includes(id) && !secrets.has(id);

  return {
    ids: [...publicIds.filter(isPublic), ...secrets.keys()],
    isPublic,
    hasValidSecret: ({ id, secret }) =>
      isPublic(id) ? secret === undefined : secret !== undefined && secrets.get(id) === secret,
  };
}

/** Reads the client from the form or from HTTP Basic (RFC 6749, section 2.3.1). */
export function readClient(request: ApiRequest, form: URLSearchParams): ClaimedClient {
  const inForm = { id: form.get('client_id') ?? '', secret: form.get('client_secret') || undefined };
  const basic = /^Basic +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (basic === undefined) return inForm;
  const [id = '', ...rest] = Buffer.from(basic, 'base64').toString().split(':').map(decodeFormValue);
  if (inForm.secret !== undefined || (inForm.id !== '' && inForm.id !== id)) {
    throw oauthError(
      'invalid_request',
      'The client must be given once, in the form or in the Authorization header.',
    );
  }
  return { id, secret: rest.join(':') };
}

/** Throws an `ApiError` for an unknown client, or one that may not use the grant type. */
export function authenticateClient(client: ClaimedClient, grantType: string, clients: Clients): void {
  const isForCode = grantType === 'authorization_code';
  if (!isForCode && clients.isPublic(client.id)) {
    throw oauthError('unauthorized_client', 'Only a client with a secret may use this grant type.');
  }
  if (client.id === '' || (!isForCode && client.secret === undefined)) {
    throw oauthError('invalid_request', "The form requires a 'client_id' and a 'client_secret'.");
  }
  if (clients.hasValidSecret(client)) return;
  throw new ApiError(401, 'invalid_client', 'The client is unknown, or its secret is wrong.', {
    headers: { 'www-authenticate': 'Basic realm="sandbox"' },
  });
}

function decodeFormValue(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  return decodeSegment(spaced) ?? spaced;
}
