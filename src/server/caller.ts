import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { type CallerTokens, createTokenReader, keyOfPeer } from './caller-tokens.ts';
import type { VerifiedCaller } from './guard/token-verification.ts';
import type { RequestSlot } from './load/shedding.ts';

/** The sender of a request, as read from HTTP headers or a WebSocket. */
export interface Caller {
  readonly requestId: string;
  /** The request id for upstreams, which accept only GUIDs: `requestId` if it is a GUID, otherwise a new one. */
  readonly clientRequestId?: string;
  readonly tokens: CallerTokens;
  /** Claims of the verified token; null if tokens are not verified, or not yet. */
  readonly verified: VerifiedCaller | null;
  /**
   * Identifies the caller for limits and queues: its verified identity, otherwise its peer's network. Behind a proxy,
   * the peer is the proxy.
   */
  readonly key: string;
  /** Whether to list upstream calls in the response (`tributary-explain: 1`). */
  readonly isExplained?: boolean;
  /** Whether reads of area A must include all earlier writes of all replicas (`tributary-read: primary`). */
  readonly readsPrimary?: boolean;
  /** The slot held by the request; undefined until it has one. */
  slot?: RequestSlot | undefined;
  readonly client?: Client | null;
  /** W3C trace context: `00-<trace>-<span>-<flags>`. */
  readonly traceparent?: string | null;
  /** The `Accept-Language` header, forwarded so that upstreams localize their error messages. */
  readonly language?: string | null;
}

/** Reads the callers of all transports. */
export interface CallerReader {
  /** If areas B and C have their own header, area A's token is never sent to them. */
  fromRequest(
    request: Pick<FastifyRequest, 'headers' | 'id'> & { readonly raw: Pick<IncomingMessage, 'socket'> },
  ): Caller;
  /**
   * Reads tokens from the `connection_init` payload, where browsers can set them (`authorization`,
   * `managementAuthorization` or the name of the header in lower case), otherwise from the headers of the upgrade
   * request.
   */
  fromSocket(
    payload: Readonly<Record<string, unknown>> | undefined,
    upgrade: Pick<IncomingMessage, 'headers' | 'socket'>,
  ): Caller;
}

export function createCallerReader(managementHeader: string): CallerReader {
  const readTokens = createTokenReader();

  return {
    fromRequest: ({ headers, id, raw }) => ({
      requestId: id,
      clientRequestId: requestGuidPattern.test(id) ? id : randomUUID(),
      tokens: readTokens(headers.authorization, toText(headers[managementHeader])),
      verified: null,
      key: keyOfPeer(raw.socket.remoteAddress ?? ''),
      slot: undefined,
      isExplained: headers['tributary-explain'] === '1',
      readsPrimary: readsPrimary(headers),
      client: readClient(headers),
      traceparent: readTraceparent(headers),
      language: readLanguages(headers),
    }),

    fromSocket(payload, { headers, socket }) {
      const { authorization = payload?.Authorization, managementAuthorization } = payload ?? {};
      const sent = typeof authorization === 'string' ? { ...headers, authorization } : headers;
      return {
        ...createRequestIds(),
        tokens: readTokens(
          sent.authorization,
          toText(managementAuthorization) ??
            toText(payload?.[managementHeader]) ??
            toText(sent[managementHeader]),
        ),
        verified: null,
        key: keyOfPeer(socket.remoteAddress ?? ''),
        readsPrimary: readsPrimary(headers),
        client: readClient(payload ?? {}) ?? readClient(headers),
        traceparent: readTraceparent(headers),
        language: readLanguages(headers),
      };
    },
  };
}

const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const readsPrimary = (headers: IncomingHttpHeaders): boolean => headers['tributary-read'] === 'primary';

/** Returns the client's `x-request-id` if it is well-formed, otherwise a new id. */
export function readRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const id = headers['x-request-id'];
  return typeof id === 'string' && /^[\w.:-]{1,128}$/.test(id) ? id : randomUUID();
}

const requestGuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function createRequestIds(): Required<Pick<Caller, 'requestId' | 'clientRequestId'>> {
  const id = randomUUID();
  return { requestId: id, clientRequestId: id };
}

// All-zero ids are invalid (W3C Trace Context). Only version 00 is forwarded.
const traceparentPattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

function readTraceparent({ traceparent }: IncomingHttpHeaders): string | null {
  return typeof traceparent === 'string' && traceparentPattern.test(traceparent) ? traceparent : null;
}

// The characters of a language list (RFC 9110 §12.5.4); browsers send fewer than 200.
const languagesPattern = /^[A-Za-z0-9,;=.*\- ]{1,200}$/;

function readLanguages({ 'accept-language': languages }: IncomingHttpHeaders): string | null {
  return languages !== undefined && languagesPattern.test(languages) ? languages : null;
}

/** The program that sends a request, as it names itself. Not used for authorization. */
export interface Client {
  readonly name: string;
  /** Null if the client sends no version. */
  readonly version: string | null;
}

// Apollo Client, Apollo Router and Hive Gateway send these.
const nameHeader = 'apollographql-client-name';
const versionHeader = 'apollographql-client-version';

// No white space but blanks, and shorter than a JWT.
const namePattern = /^[\w@/.:+ -]{1,64}$/;

/** Reads the client from headers or from the `connection_init` payload of a WebSocket; null without a valid name. */
function readClient(from: Readonly<Record<string, unknown>>): Client | null {
  const name = from[nameHeader];
  if (typeof name !== 'string' || !namePattern.test(name)) return null;
  const version = from[versionHeader];
  return { name, version: typeof version === 'string' && namePattern.test(version) ? version : null };
}
