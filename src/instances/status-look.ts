import { InputError, UpstreamError } from '../errors.ts';
import type { Access } from '../upstream/access.ts';
import type { Answer } from '../upstream/answer.ts';
import type { Client } from '../upstream/client.ts';
import { isPassing } from '../upstream/error-answers.ts';
import { mapTexts } from '../upstream/json.ts';
import { readRetryAfter } from '../upstream/retry-after.ts';
import { isFinished, readOperationStatus, type StepRecord } from './operation-status.ts';
import { type StatusAddress, statusAddressOf } from './status-address.ts';

/** What one look at an operation has shown. */
export interface StatusLook {
  /** How it stands; null when the upstream had nothing to say of it this time. */
  readonly step: StepRecord | null;
  /** Where to look next. */
  readonly at: StatusAddress;
  /** How long the upstream asks to wait before that; null when it does not say. */
  readonly waitMs: number | null;
}

export interface StatusLookOptions {
  readonly client: Client;
  readonly managementUrl: string;
  readonly access: Access;
}

// A status record may take a while to appear: the first look can be answered 404.
const absentForMs = 60_000;
// An operation may move, and its old address then tells no more of it.
const maxMoves = 3;

/** Asks how an operation begun at `sentAt` stands, following it where it has moved to. */
export async function lookAt(
  { client, managementUrl, access }: StatusLookOptions,
  { at, sentAt }: { readonly at: StatusAddress; readonly sentAt: number },
): Promise<StatusLook> {
  const ask = async (asked: StatusAddress): Promise<StatusLook> => {
    const { path, isResult } = asked;
    const shownAs = 'the status address in the handle';
    const answer = await client.send({ method: 'GET', path, kind: 'poll', shownAs, access });
    const next = statusAddressOf(answer.headers, managementUrl);
    return {
      step: stepOf({ ...answer, body: mapTexts(answer.body, answer.discreet) }, isResult),
      // Beside a status, `Location` leads to what comes after the end.
      at: next === null || (next.isResult && !isResult) ? asked : next,
      waitMs: waitMs(readRetryAfter(answer.headers, Date.now())),
    };
  };

  try {
    let shown = await ask(at);
    const seen = new Set([placeOf(at)]);
    while (hasMoved(shown, seen)) {
      seen.add(placeOf(shown.at));
      const further = await ask(shown.at).catch(passingOver);
      if (further === null) break;
      shown = further;
    }
    return shown;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (error.status === 404) {
      if (Date.now() - sentAt < absentForMs)
        return { step: null, at, waitMs: waitMs(error.retryAfterSeconds) };
      throw new InputError('The upstream no longer knows this operation.', 'OPERATION_EXPIRED');
    }
    if (isPassing(error)) throw error;
    // What the request itself would have been answered: it failed, and the upstream says why.
    if (at.isResult && error.code === 'UPSTREAM_REJECTED' && error.detail)
      return { step: readOperationStatus({ error: error.detail }), at, waitMs: null };
    throw error;
  }
}

/** How long to wait where the upstream says so in seconds; no time at all is no answer. */
export const waitMs = (seconds: number | null): number | null => (seconds ? seconds * 1000 : null);

function stepOf({ status, body }: Answer, isResult: boolean): StepRecord | null {
  const step = readOperationStatus(body);
  if (isResult && status !== 202 && step.status === null && !isFinished(step.state))
    return { ...step, state: 'SUCCEEDED' };
  return body === null && !isResult ? null : step;
}

const placeOf = ({ path }: StatusAddress): string => path.replace(/\?.*$/s, '');

// A new query alone is a new signature.
function hasMoved({ step, at }: StatusLook, seen: ReadonlySet<string>): boolean {
  const isOpen = step === null || !isFinished(step.state);
  return isOpen && !seen.has(placeOf(at)) && seen.size <= maxMoves;
}

function passingOver(error: unknown): null {
  if (error instanceof UpstreamError && (isPassing(error) || error.status === 404)) return null;
  throw error;
}
