import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** One part of a batch: its address as that of a single request. `status` is 0 when it got no answer. */
export interface JournalPart {
  readonly method: string;
  readonly path: string;
  status: number;
  /** The kind of a random fault it met; absent when it met none. */
  chaos?: string;
}

/** One request as the sandbox received it. `status` is 0 while, or when, it got no answer. */
export interface JournalEntry {
  readonly id: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  body: string;
  status: number;
  durationMs: number;
  /** The kind of a random fault it met; absent when it met none. */
  chaos?: string;
  /** Of a batch, the parts that were carried out or disturbed; absent otherwise. */
  parts?: JournalPart[];
}

/** What the sandbox was asked, in the order of arrival; the oldest entries make room for new ones. */
export interface Journal {
  open(method: string, path: string, headers: IncomingHttpHeaders): JournalEntry;
  list(): readonly JournalEntry[];
  clear(): void;
}

const maxEntries = 10_000;

export function createJournal(): Journal {
  let entries: JournalEntry[] = [];
  let lastId = 0;

  return {
    open(method, path, headers) {
      lastId += 1;
      const entry: JournalEntry = {
        id: lastId,
        at: new Date().toISOString(),
        method,
        path,
        headers: withoutToken(headers),
        body: '',
        status: 0,
        durationMs: 0,
      };
      entries.push(entry);
      if (entries.length > maxEntries) entries.shift();
      return entry;
    },
    list: () => entries,
    clear() {
      entries = [];
    },
  };
}

/** Writes a part of a batch down with the request that brought it. */
export function journalPart(entry: JournalEntry, method: string, path: string): JournalPart {
  const part: JournalPart = { method, path, status: 0 };
  entry.parts = [...(entry.parts ?? []), part];
  return part;
}

/** Tokens are told apart by their digest, so that a journal can be shown to anyone. */
function withoutToken(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  if (headers.authorization === undefined) return { ...headers };
  const token = headers.authorization.replace(/^Bearer +/i, '').trim();
  const digest = createHash('sha256').update(token).digest('hex').slice(0, 12);
  return { ...headers, authorization: `Bearer sha256:${digest}` };
}
