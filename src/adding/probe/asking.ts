import type { UpstreamError } from '../../errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { AddingError, toPrintable } from '../adding-error.ts';
import { explainRefusal } from '../metadata-source.ts';
import { readRows, type Service, type ServiceAnswer } from '../service.ts';

/** What a response proves: that a query was taken, with its rows, or that it was refused. `notAsked`: no calls are left. */
export type Verdict =
  | { readonly kind: 'accepted'; readonly rows: readonly JsonObject[] }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'notAsked' };

export interface EntitySetAddress {
  readonly route: string;
  readonly company: string;
  readonly entitySet: string;
}

export type QueryOptions = Readonly<Record<string, string>>;

/** Asks an entity set. Throws an `AddingError` where the response says nothing about the query. */
export type Ask = (options: QueryOptions) => Promise<Verdict>;

export const pathOf = ({ route, company, entitySet }: EntitySetAddress): string =>
  `/api/${route}/companies(${company})/${encodeURIComponent(entitySet)}`;

export function createAsk(service: Service, address: EntitySetAddress): Ask {
  const path = pathOf(address);
  return async (options) => {
    if (service.callsLeft === 0) return { kind: 'notAsked' };
    const query = Object.entries(options).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const answer = await service.send({ path: `${path}?${query.join('&')}` });
    if (!answer.isOk) {
      if (isRefusal(answer)) return { kind: 'refused', reason: reasonOf(answer.error) };
      throw new AddingError(
        `${explainProbeFailure(`${address.entitySet} was not probed`, answer, address)} Nothing was written.`,
      );
    }
    const rows = readRows(answer.text);
    if (rows === null)
      throw new AddingError(
        `${address.entitySet} was not probed: the response is not an OData collection. Check --url. Nothing was written.`,
      );
    return { kind: 'accepted', rows };
  };
}

type Failure = Extract<ServiceAnswer, { isOk: false }>;

/** Whether the service refuses what the request says. 404 is about the address, whatever its code. */
export const isRefusal = ({ status, error }: Failure): boolean =>
  error.code === 'UPSTREAM_REJECTED' && status !== 404;

export const explainProbeFailure = (
  what: string,
  { status, error }: Failure,
  { company }: EntitySetAddress,
): string => explainRefusal(what, status, reasonOf(error), `--url, --route and the company ${company}`);

/** The service's own words as a sentence. */
export function reasonOf({ detail, message, status }: UpstreamError): string {
  const said = (detail?.message ?? detail?.code ?? message).split('CorrelationId:', 1).join('').trim();
  const line = toPrintable(said, 160) || `status ${status}`;
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}

/** The first company of a service. */
export async function findCompany(service: Service, route: string): Promise<string> {
  const answer = await service.send({ path: `/api/${route}/companies?$select=id&$top=1` });
  if (!answer.isOk)
    throw new AddingError(
      `${explainRefusal('No company was found', answer.status, reasonOf(answer.error))} Nothing was written.`,
    );
  const id = readRows(answer.text)?.[0]?.id;
  if (typeof id !== 'string' || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    throw new AddingError('No company was found: the service lists none. Name one with --company <id>.');
  return id;
}

/** What a group of columns turned out to be. */
export interface Split {
  readonly accepted: readonly string[];
  /** Columns that were refused by themselves, with the service's reason. */
  readonly refused: ReadonlyMap<string, string>;
  readonly notAsked: readonly string[];
}

/**
 * Asks for all columns at once; where that is refused, for each half. A refusal of one column by itself is proof, one of a
 * group is not: it may be too long, or have too many terms.
 */
export async function bisect(
  columns: readonly string[],
  ask: (columns: readonly string[]) => Promise<Verdict>,
): Promise<Split> {
  if (columns.length === 0) return { accepted: [], refused: new Map(), notAsked: [] };
  const verdict = await ask(columns);
  if (verdict.kind === 'accepted') return { accepted: columns, refused: new Map(), notAsked: [] };
  if (verdict.kind === 'notAsked') return { accepted: [], refused: new Map(), notAsked: columns };
  if (columns.length === 1)
    return {
      accepted: [],
      refused: new Map(columns.map((column) => [column, verdict.reason])),
      notAsked: [],
    };
  const middle = Math.ceil(columns.length / 2);
  const first = await bisect(columns.slice(0, middle), ask);
  const second = await bisect(columns.slice(middle), ask);
  return {
    accepted: [...first.accepted, ...second.accepted],
    refused: new Map([...first.refused, ...second.refused]),
    notAsked: [...first.notAsked, ...second.notAsked],
  };
}
