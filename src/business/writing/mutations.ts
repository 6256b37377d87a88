import { InputError } from '../../errors.ts';
import type { Context } from '../../graph/context.ts';
import { encodeNodeId } from '../../graph/nodes.ts';
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
type BulkArgs<I> = SingleArgs<{ readonly entries: readonly I[] }>;

/** The most entries of one mutation: they are sent as one batch, which may not have more parts (docs/upstream.md). */
const maxMutationEntries = 100;

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

  const create = async (
    business: Business,
    inputs: readonly CreateInput[],
    at: (index: number) => string[],
  ) => {
    const creations = inputs.map(({ companyId, id, ...fields }, index) => ({
      companyId: business.companyId(companyId),
      id: id ?? null,
      fields,
      path: at(index),
    }));
    return payloadsOf(business, await business.writes().create(set, creations));
  };

  const update = async (
    business: Business,
    inputs: readonly UpdateInput[],
    at: (index: number) => string[],
  ) => {
    const changes = inputs.map((input, index) => ({
      ...resolveKeys(business, input, at(index)),
      patch: input.patch,
    }));
    return payloadsOf(business, await business.writes().update(set, changes));
  };

  return {
    create: async (_root: unknown, { input }: SingleArgs<CreateInput>, { business }: Context) =>
      (await create(business, [input], () => []))[0] as Payload,
    createMany: async (_root: unknown, { input }: BulkArgs<CreateInput>, { business }: Context) => ({
      results: await create(business, checkEntryCount(input.entries), entryPath),
    }),
    update: async (_root: unknown, { input }: SingleArgs<UpdateInput>, { business }: Context) =>
      (await update(business, [input], () => []))[0] as Payload,
    updateMany: async (_root: unknown, { input }: BulkArgs<UpdateInput>, { business }: Context) => ({
      results: await update(business, checkEntryCount(input.entries), entryPath),
    }),
    async delete(_root: unknown, { input }: SingleArgs<KeyedInput>, { business }: Context) {
      const keys = resolveKeys(business, input, []);
      const payload = (await payloadsOf(business, await business.writes().remove(set, [keys])))[0] as Payload;
      if (payload.userErrors.length > 0) return { ...payload, deletedId: null, deletedNodeId: null };
      const deletedNodeId = encodeNodeId(set.type, [keys.companyId, keys.id]);
      return { ...payload, deletedId: keys.id, deletedNodeId };
    },
  };
}

const entryPath = (index: number) => ['entries', String(index)];

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
