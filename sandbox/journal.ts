import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isBusinessPath } from './business/address.ts';
import { splitTarget } from './http.ts';
import { isSignInPath } from './tokens/authorize.ts';

/** A part of a batch, with its path as that of a single request. `status` is 0 when it has no response. */
export interface JournalPart {
  readonly method: string;
  readonly path: string;
  status: number;
  /** The kind of the random fault, if any. */
  chaos?: string;
}

/** A request as the sandbox received it. `status` is 0 until the response is sent, and when there is none. */
export interface JournalEntry {
  readonly id: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Absent for an unknown path. */
  readonly area?: Area;
  readonly headers: IncomingHttpHeaders;
  body: string;
  status: number;
  durationMs: number;
  /** The kind of the fault that was added for it; `custom` for one without a kind. */
  fault?: string;
  /** Requests of its method and subscription that were under way when it arrived, with itself. Absent without a subscription. */
  underWay?: number;
  /** The kind of the random fault, if any. */
  chaos?: string;
  /** For a batch: the parts that were executed or had a fault. */
  parts?: JournalPart[];
}

/** The requests in the order of arrival. When it is full, a new entry replaces the oldest. */
export type Journal = ReturnType<typeof createJournal>;

const maxJournalEntries = 10_000;

export function createJournal() {
  let entries: JournalEntry[] = [];
  let lastId = 0;
  const underWay = new Map<string, number>();

  function countUnderWay(key: string, change: number): number {
    const count = (underWay.get(key) ?? 0) + change;
    underWay.set(key, count);
    return count;
  }

  return {
    addEntry(method: string, path: string, headers: IncomingHttpHeaders): JournalEntry {
      lastId += 1;
      const area = areaOf(path);
      const entry: JournalEntry = {
        id: lastId,
        at: new Date().toISOString(),
        method,
        path: redactTarget(path),
        ...(area && { area }),
        headers: redactHeaders(headers),
        body: '',
        status: 0,
        durationMs: 0,
      };
      entries.push(entry);
      if (entries.length > maxJournalEntries) entries.shift();
      return entry;
    },
    /** Notes in an entry how many requests are under way. The result ends its own. */
    begin(entry: JournalEntry): () => void {
      const subscription = /^\/subscriptions\/([^/?]+)/i.exec(entry.path)?.[1];
      if (subscription === undefined) return () => {};
      const key = `${entry.method} ${subscription.toLowerCase()}`;
      entry.underWay = countUnderWay(key, 1);
      return () => void countUnderWay(key, -1);
    },
    list: (): readonly JournalEntry[] => entries,
    clear(): void {
      entries = [];
    },
  };
}

/** Adds a part of a batch to the entry of its request. */
export function addJournalPart(entry: JournalEntry, method: string, path: string): JournalPart {
  const part: JournalPart = { method, path, status: 0 };
  entry.parts = [...(entry.parts ?? []), part];
  return part;
}

const secretHeaders = ['proxy-authorization', 'x-api-key'];

/**
 * Replaces tokens and keys by their digests, so that the journal holds no secret, and removes cookies and the
 * referrer, which browsers send for other pages on this machine.
 */
function redactHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { cookie: _cookie, referer: _referer, ...shown } = headers;
  if (shown.authorization !== undefined)
    shown.authorization = `Bearer ${digestOf(shown.authorization.replace(/^Bearer +/i, '').trim())}`;
  for (const name of secretHeaders)
    if (shown[name] !== undefined) shown[name] = digestOf(String(shown[name]));
  return shown;
}

const digestOf = (secret: string): string =>
  `sha256:${createHash('sha256').update(secret).digest('hex').slice(0, 12)}`;

/** Parameters that are not secret. */
const publicParameters: ReadonlySet<string> = new Set([
  'grant_type',
  'client_id',
  'scope',
  'requested_token_use',
  'response_type',
  'code_challenge_method',
  'login_hint',
]);

/** Removes all parameters from a form that could be secret. */
export function redactForm(form: string): string {
  const shown = [...new URLSearchParams(form)].filter(([name]) => publicParameters.has(name));
  return new URLSearchParams(shown).toString();
}

/**
 * Redacts a request target. Sign-ins can redirect to any address on this machine, including the sandbox, so
 * codes are redacted in every path.
 */
function redactTarget(target: string): string {
  const { path, query } = splitTarget(target);
  if (!isSignInPath(path)) return target.replace(/([?&]code=)[^&]*/g, '$1…');
  const shown = redactForm(query);
  return shown === '' ? path : `${path}?${shown}`;
}

/** The three services of the document, and the authorization server. */
export const areas = ['business', 'instances', 'health', 'sign-in'] as const;
export type Area = (typeof areas)[number];

/** The area that a request target belongs to; undefined for none. */
export function areaOf(target: string): Area | undefined {
  if (isBusinessPath(target)) return 'business';
  if (/^\/(?:subscriptions|providers)(?:[/?]|$)/i.test(target))
    return /\/(?:events|availabilityStatuses)(?:[/?]|$)/i.test(target) ? 'health' : 'instances';
  return isSignInPath(target) ? 'sign-in' : undefined;
}
