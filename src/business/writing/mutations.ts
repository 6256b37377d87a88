import { InputError } from '../../errors.ts';
import type { Context } from '../../graph/context.ts';
import type { Business } from '../business.ts';
import type { FieldKinds, RecordOf, RecordSet } from '../record-set.ts';
import type { WriteOutcome } from './outcomes.ts';
import type { WriteInput } from './write-fields.ts';

interface CreateInput extends WriteInput {
  readonly companyId?: string | null;
  readonly id?: string | null;
}

interface KeyedInput {
  readonly companyId?: string | null;
  readonly id: string;
  readonly ifMatch: string;
}

interface UpdateInput extends KeyedInput {
  readonly patch: WriteInput;
}

type SingleArgs<I> = { readonly input: I };
/** The path from `input` to an entry. */
type EntryPath = (index: number) => string[];
type BulkArgs<I> = SingleArgs<{ readonly entries: readonly I[] }>;

/** The most entries of one mutation: they are sent as one batch, which may not have more parts (docs/upstream.md). */
export const maxMutationEntries = 100;

/**
 * The mutations of a record set; payloads name the record `field`. `complete` adds to a record what the response to its
 * write leaves out. It must not throw, because the write has been carried out.
 */
export function createMutations<
  F extends FieldKinds,
  Field extends string,
  Whole extends object = RecordOf<F>,
>(set: RecordSet<F>, field: Field, complete?: (business: Business, record: RecordOf<F>) => Promise<Whole>) {
  type Payload = { readonly [Name in Field]: Whole | null } & Pick<WriteOutcome<F>, 'userErrors'>;

  const payloadsOf = (business: Business, outcomes: readonly WriteOutcome<F>[]): Promise<Payload[]> =>
    Promise.all(
      outcomes.map(async ({ record, userErrors }) => {
        const whole = record && complete ? await complete(business, record) : record;
        return { [field]: whole, userErrors } as Payload;
      }),
    );

  const create = async (business: Business, inputs: readonly CreateInput[], at: EntryPath) => {
    const creations = inputs.map(({ companyId, id, ...fields }, index) => ({
      companyId: business.companyId(companyId),
      id: id ?? null,
      fields,
      path: at(index),
    }));
    return payloadsOf(business, await business.writes().create(set, creations));
  };

  const update = async (business: Business, inputs: readonly UpdateInput[], at: EntryPath) => {
    const changes = inputs.map((input, index) => ({
      ...resolveKeys(business, input, at(index)),
      patch: input.patch,
    }));
    return payloadsOf(business, await business.writes().update(set, changes));
  };

  const remove = async (business: Business, inputs: readonly KeyedInput[], at: EntryPath) => {
    const removals = inputs.map((input, index) => resolveKeys(business, input, at(index)));
    const payloads = await payloadsOf(business, await business.writes().remove(set, removals));
    return payloads.map((payload, index) => ({
      ...payload,
      deletedId: payload.userErrors.length === 0 ? removals[index]?.id : null,
    }));
  };

  return { create: mutationsOf(create), update: mutationsOf(update), delete: mutationsOf(remove) };
}

/** The mutation of one record and that of several. */
const mutationsOf = <Input, Payload>(
  write: (business: Business, inputs: readonly Input[], at: EntryPath) => Promise<readonly Payload[]>,
) => ({
  single: async (_root: unknown, { input }: SingleArgs<Input>, { business }: Context) =>
    (await write(business, [input], () => []))[0] as Payload,
  bulk: async (_root: unknown, { input }: BulkArgs<Input>, { business }: Context) => ({
    results: await write(business, checkEntryCount(input.entries), entryPath),
  }),
});

const entryPath: EntryPath = (index) => ['entries', String(index)];

const resolveKeys = (
  business: Business,
  { companyId, id, ifMatch }: KeyedInput,
  path: readonly string[],
) => ({
  companyId: business.companyId(companyId),
  id,
  ifMatch,
  path,
});

function checkEntryCount<I>(entries: readonly I[]): readonly I[] {
  if (entries.length >= 1 && entries.length <= maxMutationEntries) return entries;
  throw new InputError(`\`entries\` takes 1 to ${maxMutationEntries} entries; it has ${entries.length}.`);
}
