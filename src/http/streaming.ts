import type { Readable } from 'node:stream';
import type { UpstreamCall } from './call.ts';
import type { UpstreamResponse } from './response.ts';

/** A response whose body is read while it arrives: 2xx, 304 or 416. Destroying the body ends the request. */
export interface StreamedResponse extends UpstreamResponse {
  readonly body: Readable;
}

type ResponseHead = Pick<StreamedResponse, 'status' | 'headers'>;

/** Returns why a response does not match its request, which a reader of the file could not notice; null if it matches. */
export const findStreamMistake = ({ method, headers = {} }: UpstreamCall, head: ResponseHead) =>
  method === 'GET' ? findReadMistake(headers, head) : findUploadMistake(head);

// A 2xx with a body is not from the upstream, but perhaps a sign-in page.
function findUploadMistake({ status, headers }: ResponseHead): string | null {
  if (status > 299 || status === 204) return null;
  const isEmpty = headers['content-length'] === '0';
  return isEmpty && (status === 200 || status === 201) ? null : 'The upstream did not confirm an upload.';
}

function findReadMistake(
  requested: Readonly<Record<string, string>>,
  { status, headers }: ResponseHead,
): string | null {
  // 204: the record has no file.
  if (status > 200 && status < 300 && status !== 204 && status !== 206)
    return `The upstream responded with status ${status} in place of a file.`;
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity') return 'The upstream compressed a file that was asked for as it is.';
  if (status === 206 && requested.range === undefined)
    return 'The upstream responded with a part of a file that was asked for as a whole.';
  const isConditional =
    requested['if-none-match'] !== undefined || requested['if-modified-since'] !== undefined;
  if (status === 304 && !isConditional)
    return 'The upstream responded that a file has not changed, without having been asked.';
  return null;
}

/** Reads the start of a body as text, up to about `maxBytes`. A read error ends the text. */
export async function readStart(body: Readable, maxBytes: number): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body) {
      text += chunk;
      if (text.length > maxBytes) break;
    }
  } catch {
    // The status matters more than the body.
  }
  return text;
}
