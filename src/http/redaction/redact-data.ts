import type { UpstreamName } from '../../errors.ts';
import { waitForTurn } from '../../runtime/cooperative-queue.ts';
import { mapStrings } from '../../runtime/json.ts';
import { badResponseError } from '../errors.ts';
import type { UpstreamResponse } from '../response.ts';
import { maxRedactedLength } from './redaction.ts';

type Response = Pick<UpstreamResponse, 'status' | 'headers' | 'body' | 'bytes' | 'redact'>;

// How long the event loop may be blocked by the redaction of one list.
const sliceMs = 5;

/**
 * The data of a response without tokens and addresses of the upstream. Throws `UpstreamError` for one that is too long to be
 * searched for them: data that lacks a part is not shown.
 */
export function redactData(upstream: UpstreamName, response: Response): unknown {
  assertSearchable(upstream, response);
  return mapStrings(response.body, response.redact);
}

/** As above for the rows of a list, in slices on the cooperative queue of a caller. */
export async function redactRows(
  upstream: UpstreamName,
  response: Response,
  rows: readonly unknown[],
  key: string,
): Promise<readonly unknown[]> {
  assertSearchable(upstream, response);
  const redacted: unknown[] = [];
  let beganAt = performance.now();
  for (const row of rows) {
    if (performance.now() - beganAt > sliceMs) {
      await waitForTurn(key);
      beganAt = performance.now();
    }
    redacted.push(mapStrings(row, response.redact));
  }
  return redacted;
}

function assertSearchable(upstream: UpstreamName, response: Response): void {
  if ((response.bytes ?? 0) <= maxRedactedLength) return;
  const message = `The response of the upstream is longer than ${maxRedactedLength} characters.`;
  throw badResponseError(upstream, message, response);
}
