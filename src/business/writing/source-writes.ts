import { asUpstreamError, InputError, UpstreamError } from '../../errors.ts';
import type { UserError } from '../../graph/user-errors.ts';
import type { Business } from '../business.ts';
import { loadOwnRecord, loadRecord } from '../record-loads.ts';
import type { FieldKinds } from '../record-set.ts';
import { notAttemptedError, rejectedOutcome, type WriteOutcome } from './outcomes.ts';
import { missingRecordError, staleSourceError, toOwnError, toSourceError } from './source-errors.ts';
import { type Addition, keyFieldsOf, type Plan, planWrite, type SourcedWrite } from './source-plans.ts';
import { readSourceVersions, type SourceVersion } from './source-versions.ts';
import type { RecordWrite, WriteOptions } from './writes.ts';

/** `isLoaded`: the record has been read after the write, with all that is selected of it. */
export type SourcedOutcome = WriteOutcome<FieldKinds> & { readonly isLoaded?: boolean };

/**
 * Writes each field to the set that has its column: the types' own sets first, then the sources, each set's writes of all
 * entries together. Where the own set refuses an entry, nothing of it is sent to a source. Where a source refuses, what its own
 * set was sent stays written; the errors say what was written and what was not.
 *
 * A version of a source is checked before anything is written. It may change with the own set, where both show one row of the
 * upstream's database: then the columns of the source decide whether another client has changed it.
 */
export async function writeToSources(
  business: Business,
  entries: readonly SourcedWrite[],
  options: WriteOptions = {},
): Promise<readonly SourcedOutcome[]> {
  const plans = entries.map(planWrite);
  if (options.isTransaction && plans.some(({ additions }) => additions.length > 0))
    throw new InputError(
      '`atomic` takes no entry with fields of several sets of the upstream: they cannot be written in one transaction. Leave `atomic` or these fields out.',
    );
  // Versions are read from the primary; writes invalidate what was read before them.
  business.invalidateReads();
  const before = await Promise.all(plans.map((plan) => readVersions(business, plan)));
  const refused = plans.map(({ faults }, index) => [...faults, ...(before[index]?.errors ?? [])]);
  const ownOutcomes = await writeAll(
    business,
    plans.map(({ own }, index) => (refused[index]?.length ? null : own)),
    options,
  );
  const mayAdd = plans.map(
    ({ own }, index) =>
      !refused[index]?.length && (own === null || ownOutcomes[index]?.userErrors.length === 0),
  );
  const added = await writeAdditions(business, plans, { ownOutcomes, mayAdd, before });
  return Promise.all(
    plans.map(async (plan, index): Promise<SourcedOutcome> => {
      const own = ownOutcomes[index] ?? null;
      if (plan.additions.length === 0 && own) return own;
      const userErrors = refused[index]?.length
        ? (refused[index] as readonly UserError[])
        : own && own.userErrors.length > 0
          ? own.userErrors.map((error) => toOwnError(error, plan))
          : (added[index] ?? []);
      const id = plan.write.target.id ?? own?.record?.id ?? null;
      const isInvalid = plan.faults.length > 0 || before[index]?.isMissing === true || id === null;
      const record = isInvalid ? null : await readRecord(business, plan, id);
      return {
        record: (record ?? own?.record ?? null) as SourcedOutcome['record'],
        userErrors,
        isLoaded: record !== null,
      };
    }),
  );
}

interface ReadVersions {
  /** The own set has no such record: a source may have a row of it nevertheless. */
  readonly isMissing?: boolean;
  readonly versions: ReadonlyMap<string, SourceVersion>;
  /** Why nothing is written: a source has another version, or could not be read. */
  readonly errors: readonly UserError[];
}

/** The versions that sources have before their record's own set is written; where that is not written, whether it has the record. */
async function readVersions(business: Business, plan: Plan): Promise<ReadVersions> {
  const { own, additions, write, faults } = plan;
  if (own === null && faults.length === 0) return findRecord(business, plan);
  const dated = own === null ? [] : additions.filter(({ ifMatch }) => ifMatch !== '*' && ifMatch !== null);
  if (dated.length === 0) return { versions: new Map(), errors: [] };
  const { companyId, id, path } = write.target;
  try {
    const versions = await readSourceVersions(business, dated, companyId, id as string);
    const stale = dated.filter(({ name, ifMatch }) => versions.get(name)?.etag !== ifMatch);
    return { versions, errors: stale.map(({ fields }) => staleSourceError(fields, path)) };
  } catch (error) {
    return { versions: new Map(), errors: [notAttemptedError(asUpstreamError(error))] };
  }
}

async function findRecord(business: Business, { recordType, write }: Plan): Promise<ReadVersions> {
  const { companyId, id, path } = write.target;
  const versions = new Map();
  try {
    const record = await loadOwnRecord(recordType, business, companyId, { id: id as string });
    return record
      ? { versions, errors: [] }
      : { isMissing: true, versions, errors: [missingRecordError(path)] };
  } catch (error) {
    return { versions, errors: [notAttemptedError(asUpstreamError(error))] };
  }
}

/** Writes those that are there, and returns their outcomes at their places. */
async function writeAll(
  business: Business,
  writes: readonly (RecordWrite | null)[],
  options?: WriteOptions,
): Promise<readonly (WriteOutcome<FieldKinds> | null)[]> {
  const given = writes.filter((write) => write !== null);
  const outcomes = given.length === 0 ? [] : await business.write(given, options);
  const rest = outcomes.values();
  return writes.map((write) => (write === null ? null : (rest.next().value as WriteOutcome<FieldKinds>)));
}

interface Progress {
  readonly ownOutcomes: readonly (WriteOutcome<FieldKinds> | null)[];
  readonly mayAdd: readonly boolean[];
  readonly before: readonly ReadVersions[];
}

/** The errors of the sources, for each plan. */
async function writeAdditions(
  business: Business,
  plans: readonly Plan[],
  { ownOutcomes, mayAdd, before }: Progress,
): Promise<readonly (readonly UserError[])[]> {
  const isAnyOwnWritten = ownOutcomes.some((outcome) => outcome?.userErrors.length === 0);
  const steps = await Promise.all(
    plans.map(async (plan, index) => {
      if (!mayAdd[index]) return [];
      const id = plan.write.target.id ?? ownOutcomes[index]?.record?.id ?? null;
      const versions = before[index]?.versions ?? new Map();
      return prepareAdditions(business, plan, id, versions);
    }),
  );
  const flat = steps.flat();
  const send = async (writes: readonly (RecordWrite | null)[]) => {
    try {
      return await writeAll(business, writes);
    } catch (error) {
      // Where nothing was written at all, it stays an error of the whole mutation.
      if (!isAnyOwnWritten || !(error instanceof UpstreamError)) throw error;
      return writes.map((write) => write && rejectedOutcome(notAttemptedError(error)));
    }
  };
  const first = await send(flat.map(({ first: write }) => write));
  const isMissing = (index: number) =>
    first[index]?.userErrors.some(({ code }) => code === 'NOT_FOUND') === true;
  const second = await send(flat.map(({ second: write }, index) => (isMissing(index) ? write : null)));
  let at = 0;
  return plans.map((plan, index) =>
    (steps[index] ?? []).flatMap(({ addition, errors }) => {
      const outcome = second[at] ?? first[at];
      at += 1;
      const own = ownOutcomes[index] ? plan.own : null;
      return [...errors, ...(outcome?.userErrors ?? [])].map((error) => toSourceError(error, own, addition));
    }),
  );
}

interface Step {
  readonly addition: Addition;
  readonly first: RecordWrite | null;
  /** Sent where the first finds no row. */
  readonly second: RecordWrite | null;
  readonly errors: readonly UserError[];
}

async function prepareAdditions(
  business: Business,
  { own, additions, write }: Plan,
  id: string | null,
  before: ReadonlyMap<string, SourceVersion>,
): Promise<readonly Step[]> {
  const { companyId, path } = write.target;
  if (id === null)
    return additions.map((addition) => ({
      addition,
      first: null,
      second: null,
      errors: [notAttemptedError({ message: 'The response did not name the record.', detail: null })],
    }));
  const dated = additions.filter(({ name }) => before.has(name));
  const after = await readSourceVersions(business, dated, companyId, id).catch(asUpstreamError);
  return additions.map((addition): Step => {
    const { set, fields, name, ifMatch } = addition;
    const insert: RecordWrite = {
      write: 'create',
      set,
      target: { companyId, id, fields: { ...keyFieldsOf(set, id), ...fields }, path },
    };
    const step = { addition, second: null, errors: [] };
    if (ifMatch === null) return { ...step, first: insert };
    const known = before.get(name);
    const now = after instanceof UpstreamError ? undefined : after.get(name);
    if (own !== null && known && now?.columns !== known.columns)
      return {
        ...step,
        first: null,
        errors: [after instanceof UpstreamError ? notAttemptedError(after) : staleSourceError(fields, path)],
      };
    const target = { companyId, id, path, ifMatch: now?.etag ?? ifMatch, patch: fields };
    return { ...step, first: { write: 'update', set, target }, second: ifMatch === '*' ? insert : null };
  });
}

async function readRecord(
  business: Business,
  { recordType, write }: Plan,
  id: string,
): Promise<object | null> {
  try {
    return await loadRecord(recordType, business, write.target.companyId, { id });
  } catch (error) {
    // A failure to read it must not hide the outcome of the write.
    asUpstreamError(error);
    return null;
  }
}
