/** What a document has to run, and what follows what was run. Rules without a page. */
import { Kind, parse } from './libraries.js';

/**
 * @import { GraphRequest } from './graph.js'
 * @typedef {'query' | 'mutation' | 'subscription'} OperationKind
 * @typedef {{ name: string | null, kind: OperationKind, variables: readonly string[], fields: readonly string[] }} Runnable
 */

/**
 * The operations of a document, in their order; null while it cannot be parsed.
 *
 * @param {string} query
 * @returns {readonly Runnable[] | null}
 */
export function readOperations(query) {
  try {
    const { definitions } = parse(query, { noLocation: true });
    return definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION
        ? [
            {
              name: definition.name?.value ?? null,
              kind: definition.operation,
              variables: (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value),
              fields: definition.selectionSet.selections.flatMap((selection) =>
                selection.kind === Kind.FIELD ? [selection.name.value] : [],
              ),
            },
          ]
        : [],
    );
  } catch {
    return null;
  }
}

/**
 * The subscription that follows a mutation: one of the same document whose only variable is `$id`. It gets the handle of
 * the operation that the mutation began.
 *
 * @param {readonly Runnable[]} operations of the document
 * @param {Runnable} ran
 * @param {unknown} data of its response
 * @returns {{ operation: Runnable, variables: { id: string } } | null}
 */
export function findFollower(operations, ran, data) {
  if (ran.kind !== 'mutation') return null;
  const operation = operations.find(
    ({ kind, variables }) => kind === 'subscription' && variables.length === 1 && variables[0] === 'id',
  );
  const id = findHandle(data);
  return operation && id !== null ? { operation, variables: { id } } : null;
}

/** `operation.id` of the first root field that has one. @param {unknown} data @returns {string | null} */
function findHandle(data) {
  const payloads = /** @type {({ operation?: { id?: unknown } | null } | null)[]} */ (
    Object.values(data ?? {})
  );
  const id = payloads.map((payload) => payload?.operation?.id).find((found) => typeof found === 'string');
  return typeof id === 'string' ? id : null;
}

/**
 * Names a document by its first operation with a name, or else by the fields of its first operation. An operation that
 * begins a line names it even while the document cannot be parsed.
 *
 * @param {string} query
 */
export function nameDocument(query) {
  const operations = readOperations(query);
  if (operations === null)
    return /^\s*(?:query|mutation|subscription)\s+([A-Za-z_]\w*)/m.exec(query)?.[1] ?? 'Untitled';
  const named = operations.find(({ name }) => name !== null);
  return named?.name ?? (operations[0]?.fields.join(', ') || 'Untitled');
}

/**
 * The request of an operation, with the variables that it declares: those of another operation of the document are not sent.
 *
 * @param {string} query
 * @param {Runnable | null} operation null where the document cannot be parsed: all variables are sent
 * @param {Record<string, unknown>} variables
 * @returns {GraphRequest}
 */
export const createRequest = (query, operation, variables) => ({
  query,
  operationName: operation?.name ?? null,
  variables:
    operation === null
      ? variables
      : Object.fromEntries(Object.entries(variables).filter(([name]) => operation.variables.includes(name))),
});

/**
 * Reads what the user has written.
 *
 * @param {{ query: string, variables: string, headers: string }} written
 * @param {string | null} name of the operation; the first where it is null
 * @throws {Error} in words for the user
 */
export function readRun({ query, variables, headers }, name) {
  const operations = readOperations(query) ?? [];
  const operation = operations.find((each) => each.name === name) ?? operations[0] ?? null;
  const request = createRequest(query, operation, readVariables(variables));
  return { operations, operation, request, headers: readHeaders(headers) };
}

/**
 * A curl command for POSIX shells that sends a request. It can be shared: variables of the shell stand for the token and
 * for the values of the user's own headers.
 *
 * @param {string} url
 * @param {GraphRequest} request
 * @param {readonly string[]} headerNames of the user's own headers
 * @param {boolean} isSubscription results come as server-sent events
 */
export function createCurl(url, request, headerNames, isSubscription) {
  const quote = (/** @type {string} */ text) => `'${text.replaceAll("'", `'\\''`)}'`;
  const variableOf = (/** @type {string} */ name) =>
    name
      .toUpperCase()
      .replace(/\W/g, '_')
      .replace(/^(?=\d)/, '_');
  return [
    `curl ${isSubscription ? '-N ' : ''}${quote(url)}`,
    `-H 'content-type: application/json'`,
    ...(isSubscription ? [`-H 'accept: text/event-stream'`] : []),
    ...(headerNames.includes('authorization') ? [] : [`-H "authorization: Bearer $TOKEN"`]),
    ...headerNames.map((name) => `-H ${quote(`${name}: `)}"$${variableOf(name)}"`),
    `-d ${quote(JSON.stringify(request))}`,
  ].join(' \\\n  ');
}

/**
 * What differs between the beginning and the end that two texts have in common.
 *
 * @param {string} before
 * @param {string} after
 */
export function findChange(before, after) {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let kept = 0;
  while (kept < shorter - from && before.at(-1 - kept) === after.at(-1 - kept)) kept += 1;
  return { from, to: before.length - kept, insert: after.slice(from, after.length - kept) };
}

/**
 * Reads variables.
 *
 * @param {string} text JSON; empty for none
 * @returns {Record<string, unknown>}
 * @throws {Error} in words for the user
 */
export function readVariables(text) {
  if (text.trim() === '') return {};
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`The variables are not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('The variables must be a JSON object, such as {"first": 10}.');
  const lost = (text.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/-?\d[\d.eE+-]*/g) ?? []).find(isInexact);
  if (lost !== undefined)
    throw new Error(
      `The number ${lost} of the variables would be sent inexactly: write it as a text, in quotes.`,
    );
  return /** @type {Record<string, unknown>} */ (value);
}

/** @param {string} number as JSON has it */
const isInexact = (number) =>
  !Number.isFinite(Number(number)) || (/^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number)));

/**
 * Reads request headers.
 *
 * @param {string} text one `name: value` a line
 * @returns {Record<string, string>} by lower-case names
 * @throws {Error} in words for the user
 */
export function readHeaders(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw new Error(
          `A header is written as "name: value". This line is not: ${line.trim().slice(0, 20)} …`,
        );
      // RFC 9110, section 5.5.
      if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
        throw new Error(`The value of the header ${name} has a character that headers cannot contain.`);
      return [name.toLowerCase(), value];
    }),
  );
}
