import fastifyCors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

const tributaryHeaders = ['x-request-id', 'x-request-timeout', 'tributary-explain', 'tributary-read'];
// Browsers' tracers send these (W3C Trace Context and Baggage, Sentry).
const traceHeaders = ['traceparent', 'tracestate', 'baggage', 'sentry-trace'];
// Of requests for files.
const fileHeaders = ['range', 'if-range', 'if-none-match', 'if-modified-since', 'if-match'];
// Apollo Client sends these from browsers, to name the client or to allow GET.
const apolloHeaders = [
  'apollo-require-preflight',
  'apollographql-client-name',
  'apollographql-client-version',
];

// Of the Model Context Protocol.
const mcpHeaders = ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'];

/**
 * Allows pages of these origins to use the server, with these headers beside those that every server takes. Without
 * `credentials`: callers are identified by tokens, never by cookies.
 */
export async function enableCors(
  app: FastifyInstance,
  origins: readonly string[],
  headers: readonly string[],
): Promise<void> {
  await app.register(fastifyCors, {
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT'],
    allowedHeaders: [
      ...new Set([
        'authorization',
        ...headers,
        'content-type',
        ...tributaryHeaders,
        ...traceHeaders,
        ...fileHeaders,
        ...apolloHeaders,
        ...mcpHeaders,
      ]),
    ],
    exposedHeaders: [
      'x-request-id',
      'retry-after',
      'content-disposition',
      'content-range',
      'etag',
      'www-authenticate',
    ],
    maxAge: 600,
    strictPreflight: false,
  });
}
