import { InputError } from '../errors.ts';
import type { Context } from '../graph/context.ts';
import type { Business } from './business.ts';
import type { Outcome } from './outcomes.ts';
import type { Fields, RecordOf, RecordSet } from './records.ts';
import type { Input } from './write-fields.ts';

interface CreateInput extends Input {
  readonly companyId?: string | null;
  readonly id?: string | null;
}

interface KeyedInput {
  readonly companyId?: string | null;
  readonly id: string;
  readonly ifMatch: string;
}

interface UpdateInput extends KeyedInput {
  readonly patch: Input;
}

type One<I> = { readonly input: I };
type Many<I> = One<{ readonly entries: readonly I[] }>;

/** The most entries of one mutation: they go upstream as one batch, which takes no more (docs/upstream.md). */
const maxEntries = 100;

/**
 * The mutations every record set offers; payloads name the record `field`. `complete` adds to a record what an
 * upstream's answer to a write leaves out, and throws nothing: the write has been carried out.
 */
export function mutationsOf<F extends Fields, Field extends string, Whole extends object = RecordOf<F>>(
  set: RecordSet<F>,
  field: Field,
  complete?: (business: Business, record: RecordOf<F>) => Promise<Whole>,
) {
  type Payload = { readonly [Name in Field]: Whole | null } & Pick<Outcome<F>, 'userErrors'>;

  const payloadsOf = (business: Business, outcomes: readonly Outcome<F>[]): Promise<Payload[]> =>
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
      ...keysOf(business, input, at(index)),
      patch: input.patch,
    }));
    return payloadsOf(business, await business.writes().update(set, changes));
  };

  return {
    create: async (_root: unknown, { input }: One<CreateInput>, { business }: Context) =>
      (await create(business, [input], () => []))[0] as Payload,
    createMany: async (_root: unknown, { input }: Many<CreateInput>, { business }: Context) => ({
      results: await create(business, counted(input.entries), inEntries),
    }),
    update: async (_root: unknown, { input }: One<UpdateInput>, { business }: Context) =>
      (await update(business, [input], () => []))[0] as Payload,
    updateMany: async (_root: unknown, { input }: Many<UpdateInput>, { business }: Context) => ({
      results: await update(business, counted(input.entries), inEntries),
    }),
    async remove(_root: unknown, { input }: One<KeyedInput>, { business }: Context) {
      const outcomes = await business.writes().remove(set, [keysOf(business, input, [])]);
      return (await payloadsOf(business, outcomes))[0] as Payload;
    },
  };
}

const inEntries = (index: number) => ['entries', String(index)];

const keysOf = (business: Business, { companyId, id, ifMatch }: KeyedInput, path: readonly string[]) => ({
  companyId: business.companyId(companyId),
  id,
  ifMatch,
  path,
});

function counted<I>(entries: readonly I[]): readonly I[] {
  if (entries.length >= 1 && entries.length <= maxEntries) return entries;
  throw new InputError(`\`entries\` takes 1 to ${maxEntries} entries; it has ${entries.length}.`);
}
