import type { Dialect, Upstream } from './upstream.ts';

/** A rule of area A that an upstream keeps or breaks. Its id is permanent, and that of the sandbox's test of the rule. */
export interface Audit {
  readonly id: string;
  readonly title: string;
  readonly dialects: readonly Dialect[];
  /** Whether every route keeps it; the others are about the sets of v2.0. */
  readonly isOfEveryRoute?: true;
  /** Changes records: carried out only on request. What it changes it puts back, what it creates it tries to delete. */
  readonly isWrite?: true;
  /** Returns when the rule is kept; see `hold` and `skip`. */
  run(upstream: Upstream): Promise<void>;
}

type Run = Audit['run'];
type More = Partial<Pick<Audit, 'dialects' | 'isOfEveryRoute'>>;

/** A rule about reads, of both dialects unless it names one. */
export function readRule(id: string, title: string, ...rest: [Run] | [More, Run]): Audit {
  const [more, run] = rest.length === 1 ? [{}, rest[0]] : rest;
  return { id, title, dialects: ['document', 'dynamics'], ...more, run };
}

/** A rule about writes. */
export const writeRule = (id: string, title: string, run: Run): Audit => ({
  ...readRule(id, title, run),
  isWrite: true,
});

export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed' | 'skipped'; readonly why: string };

class Skipped extends Error {}

/** The rule is broken unless `isKept`. */
export function hold(isKept: boolean, otherwise: string): asserts isKept {
  if (!isKept) throw new Error(otherwise);
}

/** Ends an audit that finds nothing to look at, which is neither kept nor broken. */
export function skip(why: string): never {
  throw new Skipped(why);
}

/** A record an audit needs; without it the audit is skipped. */
export function needed<T>(value: T | undefined, what: string): T {
  return value ?? skip(`there is no ${what}`);
}

/** Carries an audit out; every error it meets, a broken connection included, counts as a broken rule. */
export async function runAudit(audit: Audit, upstream: Upstream): Promise<Outcome> {
  try {
    await audit.run(upstream);
    return { kind: 'passed' };
  } catch (error) {
    if (error instanceof Skipped) return { kind: 'skipped', why: error.message };
    return { kind: 'failed', why: reasonOf(error) };
  }
}

/** The first line of an error and, of a failed connection, what node says of it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const more = cause && (cause.message || (cause as NodeJS.ErrnoException).code);
  return (more ? `${error.message}: ${more}` : error.message).replaceAll(/\s+/g, ' ').slice(0, 300);
}
