import { UpstreamError } from '../errors.ts';
import type { Answer, Headers } from './answer.ts';
import { type Client, isTooLong } from './client.ts';
import { badResponse } from './error-answers.ts';
import { isObject } from './json.ts';

/** One read of a batch. */
export interface Part {
  /** Path and query below the API's root, percent-encoded, without a slash at its beginning. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How many keys it answers; for explanations only. */
  readonly keys: number | undefined;
}

/** The most parts the real service takes (docs/upstream.md). */
export const maxParts = 100;

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
  token: string | null,
  parts: readonly Part[],
  rounds = maxRounds,
): Promise<readonly (Answer | UpstreamError)[]> {
  try {
    const responses = await sendBatch(client, root, token, parts);
    const missing = parts.filter((_part, index) => !responses.has(index));
    if (missing.length === parts.length || (missing.length > 0 && rounds === 1))
      throw badResponse('business', 'The upstream left parts of a batch without an answer.');
    const rest = missing.length === 0 ? [] : [...(await readBatch(client, root, token, missing, rounds - 1))];
    return parts.map((_part, index) => (responses.get(index) ?? rest.shift()) as Answer | UpstreamError);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (hasNoBatches(error)) return Promise.all(parts.map((part) => readOne(client, root, token, part)));
    if (!isTooMuch(error) || parts.length === 1) return parts.map(() => error);
    const middle = Math.ceil(parts.length / 2);
    const halves = [parts.slice(0, middle), parts.slice(middle)];
    return (await Promise.all(halves.map((half) => readBatch(client, root, token, half)))).flat();
  }
}

async function sendBatch(client: Client, root: string, token: string | null, parts: readonly Part[]) {
  const notes = parts.map(({ url, keys }) => ({ method: 'GET', path: `${root}/${url}`, keys, status: 0 }));
  const { body } = await client.send({
    method: 'POST',
    path: `${root}/$batch`,
    token,
    headers: { prefer: 'odata.continue-on-error' },
    body: JSON.stringify({
      requests: parts.map(({ url, headers }, index) => ({ id: String(index), method: 'GET', url, headers })),
    }),
    parts: notes,
  });
  const responses = isObject(body) && Array.isArray(body.responses) ? body.responses.filter(isObject) : null;
  if (!responses) throw badResponse('business', 'The upstream answered a batch with something else.');
  const answers = new Map<number, Answer | UpstreamError>();
  for (const response of responses) {
    const index = notes.findIndex((_note, at) => response.id === String(at) || response.id === at);
    const note = notes[index];
    if (!note || answers.has(index) || typeof response.status !== 'number') continue;
    note.status = response.status;
    const answer = {
      status: response.status,
      headers: lowerCased(response.headers),
      body: response.body ?? null,
    };
    const isGood = answer.status >= 200 && answer.status <= 299;
    answers.set(index, isGood ? answer : client.refusal(answer, token));
  }
  return answers;
}

async function readOne(client: Client, root: string, token: string | null, { url, headers, keys }: Part) {
  try {
    const counted = keys === undefined ? {} : { keys };
    return await client.send({ method: 'GET', path: `${root}/${url}`, token, headers, ...counted });
  } catch (error) {
    if (error instanceof UpstreamError) return error;
    throw error;
  }
}

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
