import type { ExecutionResult } from 'graphql';
import type { ContentCoding } from '../content-coding.ts';

/** JSON, for one request or for several that share it. */
export interface ResponseBody {
  /** A string, or encoded as UTF-8 once several requests send it. */
  body: string | Buffer;
  /** The same compressed, once for each coding that was needed. */
  compressed?: Partial<Record<ContentCoding, Buffer | Promise<Buffer>>>;
}

/** A response ready to send. */
export interface SerializedResponse extends ResponseBody {
  readonly status: 200 | 400 | 503;
  readonly hasErrors: boolean;
}

/** Serializes a result. The status is 400 or 503 when there is no `data`: nothing was executed. */
export function serializeResult({ errors, data, extensions }: ExecutionResult): SerializedResponse {
  const isOver = errors?.[0]?.extensions.code === 'OVERLOADED';
  const status = errors && data === undefined ? (isOver ? 503 : 400) : 200;
  return {
    status,
    hasErrors: errors !== undefined,
    body: `${JSON.stringify({ errors, data, extensions })}\n`,
  };
}
