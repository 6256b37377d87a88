import { inputTypeOf } from '../support/input-types.ts';
import type { TestLayer } from '../support/layer.ts';
import type { RecordKind } from './record-kinds.ts';

/** A record as a payload, or a query, shows it. */
export interface Seen {
  readonly id: string;
  readonly etag: string;
  readonly log: string | null;
}

/** What the layer reported of one write. */
export interface Report {
  /**
   * `refused` by a userError, `failed` by a GraphQL error or as CONFLICT: in both nothing was changed.
   * Only after the second is the same worth another try.
   */
  readonly outcome: 'made' | 'refused' | 'failed' | 'unknown';
  /** The code of the userError or GraphQL error; null when made. */
  readonly code: string | null;
  readonly record: Seen | null;
}

interface Payload {
  readonly record: Seen | null;
  readonly userErrors: readonly { readonly code: string; readonly message: string }[];
}

type Input = Readonly<Record<string, unknown>>;

const recordFields = ({ log }: RecordKind) => `id etag log: ${log?.field ?? 'number'}`;

const errorFields = 'userErrors { code message path }';

/** One mutation of one record, such as `create` of a customer. */
export async function mutate(
  layer: TestLayer,
  verb: 'create' | 'update' | 'delete',
  kind: RecordKind,
  input: Input,
): Promise<Report> {
  const name = `${verb}${kind.type}`;
  const { data, errors } = await layer.query(
    `mutation ($input: ${inputTypeOf(name)}!) {
      done: ${name}(input: $input) { record: ${kind.payload} { ${recordFields(kind)} } ${errorFields} }
    }`,
    { input },
  );
  const payload: Payload | null = data?.done ?? null;
  return payload ? reportOf(payload) : failureOf(errors);
}

/** A batch of changes of one kind, such as `update` of customers; a report for each entry, in their order. */
export async function mutateMany(
  layer: TestLayer,
  verb: 'create' | 'update',
  kind: RecordKind,
  entries: readonly Input[],
): Promise<Report[]> {
  const name = `${verb}${kind.type}`;
  const { data, errors } = await layer.query(
    `mutation ($input: BatchInput!) { done: batch(input: $input) {
      results { record { ... on ${kind.type} { ${recordFields(kind)} } } ${errorFields} }
    } }`,
    { input: { entries: entries.map((entry) => ({ [name]: entry })) } },
  );
  if (!data?.done) return entries.map(() => failureOf(errors));
  const results: Payload[] = data.done.results;
  if (results.length !== entries.length)
    throw new Error(`batch of ${name}: ${results.length} results of ${entries.length} entries`);
  return results.map(reportOf);
}

/** The record as it now stands; null when it is gone or cannot be read. */
export async function look(layer: TestLayer, kind: RecordKind, id: string): Promise<Seen | null> {
  const { data } = await layer.query(
    `query ($id: UUID!) { company { record: ${kind.payload}(id: $id) { ${recordFields(kind)} } } }`,
    { id },
  );
  return data?.company?.record ?? null;
}

function reportOf({ record, userErrors: [userError] }: Payload): Report {
  if (!userError) return { outcome: 'made', code: null, record };
  const { code } = userError;
  const outcome = code === 'OUTCOME_UNKNOWN' ? 'unknown' : code === 'CONFLICT' ? 'failed' : 'refused';
  return { outcome, code, record };
}

/** A write that could only fail, however calm the upstream, is a mistake of the soak. */
function failureOf(errors: Awaited<ReturnType<TestLayer['query']>>['errors']): Report {
  const code = String(errors?.[0]?.extensions?.code);
  if (!/^UPSTREAM_(THROTTLED|TIMEOUT|UNAVAILABLE|BAD_RESPONSE|REJECTED|NOT_FOUND)$|^FORBIDDEN$/.test(code))
    throw new Error(`unexpected failure of a mutation: ${JSON.stringify(errors)}`);
  return { outcome: 'failed', code, record: null };
}
