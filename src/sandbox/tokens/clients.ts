import type { Call } from '../http.ts';
import { decodeSegment } from '../http.ts';
import { Refusal } from '../refusal.ts';
import { refused } from './forms.ts';

/** A client as a request says who it is; a secret that is not there is undefined. */
export interface ClaimedClient {
  readonly id: string;
  readonly secret: string | undefined;
}

/** Who may ask for tokens. */
export interface Clients {
  /** The ids of all, for messages. */
  readonly ids: readonly string[];
  /** True for a client that has no secret. */
  isPublic(id: string): boolean;
  /** True for a client with its secret, and for a public one without any. */
  isTrue(client: ClaimedClient): boolean;
}

/** `secretsById` are of those that can keep one, which a public client of the same id gives way to. */
export function createClients(
  secretsById: Readonly<Record<string, string>>,
  publicIds: readonly string[],
): Clients {
  const secrets = new Map(Object.entries(secretsById));
  const isPublic = (id: string): boolean => publicIds.includes(id) && !secrets.has(id);

  return {
    ids: [...publicIds.filter(isPublic), ...secrets.keys()],
    isPublic,
    isTrue: ({ id, secret }) =>
      isPublic(id) ? secret === undefined : secret !== undefined && secrets.get(id) === secret,
  };
}

/** Who a client says it is, in the form or by HTTP Basic (RFC 6749, section 2.3.1). */
export function readClient(call: Call, form: URLSearchParams): ClaimedClient {
  const inForm = { id: form.get('client_id') ?? '', secret: form.get('client_secret') || undefined };
  const basic = /^Basic +(\S+)$/i.exec(call.headers.authorization ?? '')?.[1];
  if (basic === undefined) return inForm;
  const [id = '', ...rest] = Buffer.from(basic, 'base64').toString().split(':').map(decoded);
  if (inForm.secret !== undefined || (inForm.id !== '' && inForm.id !== id)) {
    throw refused('invalid_request', 'The client must be named once, in the form or by Authorization.');
  }
  return { id, secret: rest.join(':') };
}

/** Throws the refusal of a client that is not known, or may not use a grant type. */
export function checkClient(client: ClaimedClient, grantType: string, clients: Clients): void {
  const isForCode = grantType === 'authorization_code';
  if (!isForCode && clients.isPublic(client.id)) {
    throw refused('unauthorized_client', 'Only a client with a secret may use this grant type.');
  }
  if (client.id === '' || (!isForCode && client.secret === undefined)) {
    throw refused('invalid_request', "The form needs a 'client_id' and a 'client_secret'.");
  }
  if (clients.isTrue(client)) return;
  throw new Refusal(401, 'invalid_client', 'There is no such client, or its secret is another one.', {
    headers: { 'www-authenticate': 'Basic realm="sandbox"' },
  });
}

function decoded(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  return decodeSegment(spaced) ?? spaced;
}
