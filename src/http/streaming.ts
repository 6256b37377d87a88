import type { Readable } from 'node:stream';
import type { UpstreamCall } from './call.ts';
import type { UpstreamResponse } from './response.ts';

/** A response whose body is read while it arrives: 2xx, 304 or 416. Destroying the body ends the request. */
export interface StreamedResponse extends UpstreamResponse {
  readonly body: Readable;
}

type ResponseHead = Pick<StreamedResponse, 'status' | 'headers'>;

/** Returns why a response does not fit its request, which the reader of the file could not notice; null if it fits. */
export const findStreamMistake = ({ method, headers = {} }: UpstreamCall, head: ResponseHead) =>
  method === 'GET' ? findReadMistake(headers, head) : findUploadMistake(head);

// A sign-in page, or an error with a success status, comes from something other than the upstream.
function findUploadMistake({ status, headers }: ResponseHead): string | null {
  if (status > 299 || status === 204) return null;
  const isEmpty = headers['content-length'] === '0';
  return isEmpty && (status === 200 || status === 201) ? null : 'The upstream did not confirm an upload.';
}

function findReadMistake(
  asked: Readonly<Record<string, string>>,
  { status, headers }: ResponseHead,
): string | null {
  // 204: the record has no file.
  if (status > 200 && status < 300 && status !== 204 && status !== 206)
    return `The upstream responded with status ${status} in place of a file.`;
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity') return 'The upstream compressed a file that was asked for as it is.';
  if (status === 206 && asked.range === undefined)
    return 'The upstream responded with a part of a file that was asked for as a whole.';
  const isConditional = asked['if-none-match'] !== undefined || asked['if-modified-since'] !== undefined;
  if (status === 304 && !isConditional)
    return 'The upstream responded that a file has not changed, without having been asked.';
  return null;
}

/** The first bytes of a body as text; an error while they are read ends it. */
export async function readStart(body: Readable, maxBytes: number): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body) {
      text += chunk;
      if (text.length > maxBytes) break;
    }
  } catch {
    // The status is worth more than the body.
  }
  return text;
}
