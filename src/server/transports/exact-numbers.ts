import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { waitForTurn } from '../../runtime/cooperative-queue.ts';
import { quoteLongNumbers } from '../../runtime/json.ts';

// Parsing 100 KB takes about 5 ms.
const longJsonBytes = 8 * 1024;

/**
 * Parses JSON bodies like Fastify, but keeps numbers that a double cannot represent as strings of their
 * digits, which the `Decimal` scalar accepts. Long bodies go through the cooperative queue.
 */
export function preserveDigitsInBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
    if (charset !== undefined && !/^utf-?8$/i.test(charset))
      return done(
        bodyError(415, 'The charset is not supported. Send the request as application/json in UTF-8.'),
      );
    if (
      request.headers['content-encoding'] !== undefined &&
      request.headers['content-encoding'] !== 'identity'
    )
      return done(bodyError(415, 'The content encoding is not supported. Send the request without one.'));
    if (!isUtf8(body)) return done(bodyError(400, 'The request body is not valid UTF-8.'));
    const text = body.toString('utf8');
    const parseBody = () => {
      void parse(request, quoteLongNumbers(text), (error, value) =>
        done(error && isJson(text) ? bodyError(400, forbiddenProperty) : error, value),
      );
    };
    if (body.length > longJsonBytes) void waitForTurn(request.raw.socket.remoteAddress ?? '').then(parseBody);
    else parseBody();
  });
}

/** Does the same for the `variables` parameter of a GET. Returns the URL to use instead. */
export function preserveDigitsInUrl({ url = '/' }: { readonly url?: string | undefined }): string {
  const start = url.indexOf('?');
  if (start === -1) return url;
  const parameters = new URLSearchParams(url.slice(start));
  const [variables, ...others] = parameters.getAll('variables');
  // Apollo rejects repeated parameters.
  if (variables === undefined || others.length > 0) return url;
  const quotedVariables = quoteLongNumbers(variables);
  if (quotedVariables === variables) return url;
  parameters.set('variables', quotedVariables);
  return `${url.slice(0, start)}?${parameters}`;
}

const forbiddenProperty =
  'The request body has the property `__proto__`, or `constructor` with `prototype`. No value may have them.';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const bodyError = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode });
