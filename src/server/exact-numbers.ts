import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { quoteLongNumbers } from '../upstream/json.ts';

/**
 * Reads JSON bodies as Fastify does, except that a number that a double cannot hold becomes its digits as
 * text: the scalar `Decimal` takes them as given.
 */
export function keepDigitsOfBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
    if (charset !== undefined && !/^utf-?8$/i.test(charset))
      return done(refusal(415, 'Send the request as application/json in UTF-8.'));
    if (
      request.headers['content-encoding'] !== undefined &&
      request.headers['content-encoding'] !== 'identity'
    )
      return done(refusal(415, 'Send the request without a content encoding.'));
    if (!isUtf8(body)) return done(refusal(400, 'The request body is not UTF-8.'));
    return parse(request, quoteLongNumbers(body.toString('utf8')), done);
  });
}

/** The same for the address of a GET, where the variables are a parameter: the address to read instead. */
export function keepDigitsOfUrl({ url = '/' }: { readonly url?: string | undefined }): string {
  const start = url.indexOf('?');
  if (start === -1) return url;
  const parameters = new URLSearchParams(url.slice(start));
  const [variables, ...others] = parameters.getAll('variables');
  // Apollo refuses the parameter when it is given twice.
  if (variables === undefined || others.length > 0) return url;
  const quoted = quoteLongNumbers(variables);
  if (quoted === variables) return url;
  parameters.set('variables', quoted);
  return `${url.slice(0, start)}?${parameters}`;
}

const refusal = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode });
