import type { ExecutionResult } from 'graphql';

/** A response ready to send. */
export interface SerializedResponse {
  readonly status: 200 | 400 | 503;
  /** JSON as a string, or encoded as UTF-8. */
  readonly body: string | Buffer;
}

/** Serializes a result. The status is 400 or 503 when there is no `data`: nothing was executed. */
export function serializeResult({ errors, data, extensions }: ExecutionResult): SerializedResponse {
  const isOver = errors?.[0]?.extensions.code === 'OVERLOADED';
  const status = errors && data === undefined ? (isOver ? 503 : 400) : 200;
  return { status, body: `${JSON.stringify({ errors, data, extensions })}\n` };
}
