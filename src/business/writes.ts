import { LosslessNumber, stringify } from 'lossless-json';
import { UpstreamError } from '../errors.ts';
import { wordOf } from '../graph/choice.ts';
import { invalidInput, type UserError, userErrorOf } from '../graph/user-errors.ts';
import type { Answer } from '../upstream/answer.ts';
import type { Client } from '../upstream/client.ts';
import { readEntity } from '../upstream/odata.ts';
import type { Dialect } from './dialect.ts';
import { type Fields, type Kind, type RecordOf, type RecordSet, type Shape, standIns } from './records.ts';
import { fullView, pathOf, readRecord } from './views.ts';

/** What became of a write: the record as it now stands, and why it was refused if it was. */
export interface Outcome<F extends Fields> {
  readonly record: RecordOf<F> | null;
  readonly userErrors: readonly UserError[];
}

export interface Change {
  readonly companyId: string;
  readonly id: string;
  readonly ifMatch: string;
  readonly patch: Readonly<Record<string, unknown>>;
}

// RFC 9110, entity-tag; the length is ours. Nothing in it can end a header line.
const entityTag = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]{0,1000}"$/;

/**
 * Changes a record with `If-Match`, once. `current` reads the record when the upstream refuses a stale tag.
 *
 * Throws `UpstreamError` for what a writer cannot act on: no token, throttled, unreachable.
 */
export async function updateRecord<F extends Fields>(
  client: Client,
  token: string | null,
  set: RecordSet<F>,
  dialect: Dialect,
  { companyId, id, ifMatch, patch }: Change,
  current: () => Promise<RecordOf<F> | null>,
): Promise<Outcome<F>> {
  if (ifMatch !== '*' && !entityTag.test(ifMatch)) {
    return refusal(
      invalidInput('`ifMatch` takes the `etag` of the record as it was read, or `*`.', 'ifMatch'),
    );
  }
  const { body, faults } = writeFields(set, dialect, patch, ['patch']);
  if (faults.length > 0) return refusal(...faults);
  if (Object.keys(body).length === 0)
    return refusal(invalidInput('Name at least one field to change.', 'patch'));

  try {
    const answer = await client.send({
      method: 'PATCH',
      path: pathOf(set, companyId, id),
      token,
      headers: { 'if-match': ifMatch },
      isWrite: true,
      body: stringify(body) as string,
    });
    // An upstream that says it has done it, and shows nothing.
    if (answer.body === null) return { record: await readOrNull(current), userErrors: [] };
    return { record: recordOf(set, dialect, answer, companyId), userErrors: [] };
  } catch (error) {
    if (isStale(error)) return { record: await readOrNull(current), userErrors: [staleRecord(error)] };
    const userError = userErrorOf(error, 'Read the record and compare before sending the change again.');
    if (!userError) throw error;
    const isReadable = userError.code !== 'NOT_FOUND' && userError.code !== 'NOT_ALLOWED';
    return { record: isReadable ? await readOrNull(current) : null, userErrors: [userError] };
  }
}

/** Creates a record, once. `body` is what `writeFields` made of the input. Throws as `updateRecord` does. */
export async function createRecord<F extends Fields>(
  client: Client,
  token: string | null,
  set: RecordSet<F>,
  dialect: Dialect,
  companyId: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Outcome<F>> {
  try {
    const path = pathOf(set, companyId);
    const answer = await client.send({
      method: 'POST',
      path,
      token,
      isWrite: true,
      body: stringify(body) as string,
    });
    return { record: recordOf(set, dialect, answer, companyId), userErrors: [] };
  } catch (error) {
    const userError = userErrorOf(error, 'Look for the record before creating it again.');
    if (!userError) throw error;
    return refusal(userError);
  }
}

export const refusal = (...userErrors: UserError[]) => ({ record: null, userErrors });

/**
 * The fields of an input as the upstream writes them; `path` leads to the input. Fields left out are not sent.
 * A cleared field becomes its stand-in, and a decimal keeps every digit given.
 */
export function writeFields(
  { fields, dialects }: Shape,
  dialect: Dialect,
  input: Readonly<Record<string, unknown>>,
  path: readonly string[],
) {
  const body: Record<string, unknown> = {};
  const faults: UserError[] = [];
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const written = writeValue(fields[name] as Kind, dialect, value);
    if (typeof written === 'object' && 'fault' in written) {
      faults.push(invalidInput(`\`${name}\` ${written.fault}`, ...path, name));
    } else {
      body[dialects?.[dialect.name]?.names[name] ?? name] = written;
    }
  }
  return { body, faults };
}

function writeValue(
  kind: Kind,
  dialect: Dialect,
  value: unknown,
): string | number | boolean | LosslessNumber | { fault: string } {
  if (typeof kind === 'object') {
    const word = value === null ? kind.unset : wordOf(kind, value);
    if (word !== undefined) return dialect.encodeWord(word);
    if (value === null) return { fault: 'cannot be cleared: it always has a value.' };
    return { fault: 'cannot be UNRECOGNIZED: that only stands for words read from the upstream.' };
  }
  if (value === null) {
    return kind in standIns
      ? standIns[kind as keyof typeof standIns]
      : { fault: 'cannot be cleared: give the value it is to have.' };
  }
  return kind === 'decimal' ? new LosslessNumber(value as string) : (value as string | number | boolean);
}

function recordOf<F extends Fields>(
  set: RecordSet<F>,
  dialect: Dialect,
  answer: Answer,
  companyId: string,
): RecordOf<F> {
  return readRecord(fullView(set, dialect), readEntity(answer), companyId);
}

// The document leaves status and body of a stale If-Match open (docs/upstream.md): HTTP says 412, the real
// service 409 with its own code. Other 409s mean other things.
function isStale(error: unknown): error is UpstreamError {
  return (
    error instanceof UpstreamError &&
    error.fate === 'refused' &&
    (error.status === 412 || error.detail?.code === 'Request_EntityChanged')
  );
}

function staleRecord(error: UpstreamError): UserError {
  return {
    code: 'STALE_RECORD',
    message:
      'The record has changed since `ifMatch` was read. Merge with the record given here and use its `etag`.',
    path: ['input', 'ifMatch'],
    upstream: error.detail,
  };
}

// The refusal is what matters; a failure to read the record beside it must not hide it.
async function readOrNull<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch {
    return null;
  }
}
