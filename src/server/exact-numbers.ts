import type { FastifyInstance } from 'fastify';
import { quoteLongNumbers } from '../upstream/json.ts';

/**
 * Reads JSON bodies as Fastify does, except that a number that a double cannot hold becomes its digits as
 * text: the scalar `Decimal` takes them as given.
 */
export function keepDigitsOfBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) =>
    parse(request, quoteLongNumbers(body), done),
  );
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
