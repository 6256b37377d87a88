import { stringify } from 'lossless-json';
import { failureOf, isPutOff, UpstreamError } from '../errors.ts';
import type { Access } from './access.ts';
import type { Answer, Headers } from './answer.ts';
import type { Call, Client, PartNote } from './client.ts';
import { isTooLong } from './connection.ts';
import { badResponse } from './error-answers.ts';
import { isObject, type JsonObject } from './json.ts';

type MutableNote = { -readonly [Name in keyof PartNote]: PartNote[Name] };

interface AnyPart {
  /** Path and query below the API's root, percent-encoded, without a slash at its beginning. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One read of a batch. */
export interface Part extends AnyPart {
  /** How many keys it answers; for explanations only. */
  readonly keys: number | undefined;
}

/** One write of a batch. */
export interface WritePart extends AnyPart {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** Decimals in it are `LosslessNumber`. */
  readonly body?: JsonObject;
}

/** What became of one part, or of one request: an answer of 2xx, or the reason why there is none. */
export type Attempt = Answer | UpstreamError;

/** The most parts the real service takes (docs/upstream.md). */
export const maxParts = 100;

type BatchOptions = Pick<Call, 'kind' | 'deadline'>;

// An upstream that answers a part at a time, or stops at every failure, is not followed to the end.
const maxRounds = 5;

/**
 * Sends reads as one OData JSON batch to `{root}/$batch` and gives each one's answer or refusal, in their order.
 *
 * Reads can be sent again without harm: a batch that took the upstream too long, or whose answer was too long to
 * read, is halved, parts left out of an answer are asked for again, and an upstream that has no batches gets the
 * parts one by one.
 */
export async function readBatch(
  client: Client,
  root: string,
  access: Access,
  parts: readonly Part[],
  how: BatchOptions = {},
  rounds = maxRounds,
): Promise<readonly Attempt[]> {
  try {
    const requests = parts.map(({ url, headers }, index) => ({
      id: String(index),
      method: 'GET',
      url,
      headers,
    }));
    const notes = parts.map(({ url, keys }) => ({ method: 'GET', path: `${root}/${url}`, keys, status: 0 }));
    const responses = await exchange(client, root, access, notes, JSON.stringify({ requests }), how);
    const missing = parts.filter((_part, index) => !responses.has(index));
    if (missing.length === parts.length || (missing.length > 0 && rounds === 1))
      throw badResponse('business', 'The upstream left parts of a batch without an answer.');
    const rest =
      missing.length === 0 ? [] : [...(await readBatch(client, root, access, missing, how, rounds - 1))];
    return parts.map((_part, index) => (responses.get(index) ?? rest.shift()) as Attempt);
  } catch (error) {
    const failure = failureOf(error);
    if (hasNoBatches(failure))
      return Promise.all(parts.map((part) => attempt(client, access, { ...singleRead(root, part), ...how })));
    if (!isTooMuch(failure) || parts.length === 1) return parts.map(() => failure);
    const middle = Math.ceil(parts.length / 2);
    const halves = [parts.slice(0, middle), parts.slice(middle)];
    return (await Promise.all(halves.map((half) => readBatch(client, root, access, half, how)))).flat();
  }
}

/**
 * Sends writes as one batch, once, and gives what became of each, in their order. One failing leaves the others
 * standing; one the answer says nothing about may have been carried out or not. An upstream that has no batches
 * gets them one by one. Throws `UpstreamError` when the batch was refused and none was carried out.
 */
export async function writeBatch(
  client: Client,
  root: string,
  access: Access,
  parts: readonly WritePart[],
): Promise<readonly Attempt[]> {
  const requests = parts.map(({ body, headers, ...part }, index) => ({
    id: String(index),
    ...part,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body }),
  }));
  const notes = parts.map(({ method, url }) => ({
    method,
    path: `${root}/${url}`,
    keys: undefined,
    status: 0,
  }));
  try {
    const envelope = stringify({ requests }) as string;
    const responses = await exchange(client, root, access, notes, envelope, { kind: 'write' });
    const missing = badResponse('business', 'The upstream left this part of a batch without an answer.');
    return parts.map((_part, index) => responses.get(index) ?? missing);
  } catch (error) {
    const failure = failureOf(error);
    if (failure.fate === 'unknown') return parts.map(() => failure);
    if (!hasNoBatches(failure)) throw failure;
    const attempts: Attempt[] = [];
    let stop: UpstreamError | null = null;
    for (const { url, body, ...part } of parts) {
      const result: Attempt =
        stop ?? (await attempt(client, access, { ...part, path: `${root}/${url}`, kind: 'write', body }));
      attempts.push(result);
      // What holds one up for now holds up the rest.
      if (result instanceof UpstreamError && isPutOff(result)) stop = result;
    }
    return attempts;
  }
}

/** Sends one request, once. */
export async function attempt(
  client: Client,
  access: Access,
  { body, ...call }: Omit<Call, 'body' | 'access'> & { readonly body?: JsonObject | undefined },
): Promise<Attempt> {
  try {
    return await client.send({ ...call, access, ...(body && { body: stringify(body) as string }) });
  } catch (error) {
    return failureOf(error);
  }
}

/** One batch there and back: what the answer says of each part, by its place. */
async function exchange(
  client: Client,
  root: string,
  access: Access,
  notes: readonly MutableNote[],
  body: string,
  how: BatchOptions,
) {
  const answer = await client.send({
    method: 'POST',
    path: `${root}/$batch`,
    access,
    headers: { prefer: 'odata.continue-on-error' },
    body,
    parts: notes,
    ...how,
  });
  const responses = responsesIn(answer);
  const answers = new Map<number, Attempt>();
  for (const response of responses) {
    const index = notes.findIndex((_note, at) => response.id === String(at) || response.id === at);
    const note = notes[index];
    if (!note || answers.has(index) || typeof response.status !== 'number') continue;
    note.status = response.status;
    const part = {
      status: response.status,
      headers: lowerCased(response.headers),
      body: response.body ?? null,
      discreet: answer.discreet,
    };
    const isGood = part.status >= 200 && part.status <= 299;
    answers.set(index, isGood ? part : client.refusal(part, access));
  }
  return answers;
}

function responsesIn({ body }: Answer): readonly JsonObject[] {
  if (isObject(body) && Array.isArray(body.responses)) return body.responses.filter(isObject);
  throw badResponse('business', 'The upstream answered a batch with something else.');
}

const singleRead = (root: string, { url, headers, keys }: Part) => ({
  method: 'GET' as const,
  path: `${root}/${url}`,
  headers,
  ...(keys !== undefined && { keys }),
});

// The document names batches, but not where they are.
const hasNoBatches = ({ status }: UpstreamError) => status === 404 || status === 405 || status === 501;

const isTooMuch = (error: UpstreamError) => error.status === 504 || isTooLong(error);

function lowerCased(headers: unknown): Headers {
  if (!isObject(headers)) return {};
  const texts = Object.entries(headers).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts.map(([name, value]) => [name.toLowerCase(), value]));
}
