import { InputError } from '../../errors.ts';
import type { Context } from '../../graph/context.ts';
import { withTypename } from '../../graph/entities.ts';
import { encodeNodeId } from '../../graph/nodes.ts';
import { selectMore } from '../../graph/selected-object.ts';
import type { FieldInfo } from '../../graph/selection.ts';
import type { UserError } from '../../graph/user-errors.ts';
import { copyRecord } from '../reading/row-parser.ts';
import type { RecordSet } from '../record-sets/record-set.ts';
import type { Business } from '../records/business.ts';
import type { RecordNames, RecordTypeDescriptor, WriteName } from '../records/record-type.ts';
import type { WriteOutcome } from '../writing/outcomes.ts';
import type { WriteInput } from '../writing/write-fields.ts';
import type { RecordWrite, WriteOptions } from '../writing/writes.ts';
import { completeLines } from './line-keys.ts';

interface CreateInput extends WriteInput {
  readonly companyId?: string | null;
  readonly id?: string | null;
}

export interface KeyedInput {
  readonly companyId?: string | null;
  readonly id: string;
  readonly ifMatch: string;
}

interface UpdateInput extends KeyedInput {
  readonly patch: WriteInput;
}

type Input = CreateInput | KeyedInput | UpdateInput;
interface BatchInput {
  readonly entries: readonly Readonly<Record<string, Input>>[];
  readonly atomic: boolean;
}

/** One record to write. */
interface Change {
  readonly recordType: RecordTypeDescriptor;
  readonly write: WriteName;
  readonly input: Input;
  /** The path from the mutation's `input` to this one. */
  readonly path: readonly string[];
}

interface ChangeResult {
  readonly record: object | null;
  readonly deletedId: string | null;
  readonly deletedNodeId: string | null;
  readonly userErrors: readonly UserError[];
}

/** The maximum number of entries of one mutation. A batch, which sends them, has at most as many parts (docs/upstream.md). */
export const maxMutationEntries = 100;

/** The name of a mutation of one record. The names of its input and payload begin with it. */
export const writeName = (write: WriteName, { one }: RecordNames): string =>
  `${write}${one.charAt(0).toUpperCase()}${one.slice(1)}`;

/** Creates the resolver of a mutation of one record. Its payload has the record as `field`. */
export function createMutation(recordType: RecordTypeDescriptor, write: WriteName, field: string) {
  return async (_root: unknown, { input }: { readonly input: Input }, { business }: Context) => {
    const results = await carryOutChanges(business, [{ recordType, write, input, path: [] }]);
    const { record, ...rest } = results[0] as ChangeResult;
    return { [field]: record, ...rest };
  };
}

type WriteKind = Pick<Change, 'recordType' | 'write'>;

/** Creates the resolver of `batch`. Each entry is named after the mutation of one record. */
export function createBatchMutation(recordTypes: readonly RecordTypeDescriptor[]) {
  const kinds = new Map<string, WriteKind>();
  for (const recordType of recordTypes) {
    const { names, writes } = recordType;
    if (names) for (const write of writes) kinds.set(writeName(write, names), { recordType, write });
  }

  return async (_root: unknown, { input }: { readonly input: BatchInput }, { business }: Context) => {
    const changes = checkEntryCount(input.entries).map((entry, index) => {
      // `@oneOf`: an entry has exactly one field.
      const [[name, given]] = Object.entries(entry) as [[string, Input]];
      return { ...(kinds.get(name) as WriteKind), input: given, path: [...entryPath(index), name] };
    });
    const results = await carryOutChanges(business, changes, { isTransaction: input.atomic });
    return {
      results: results.map(({ record, ...rest }, index) => ({
        ...rest,
        record: record && withTypename(record, (changes[index] as Change).recordType.type),
      })),
    };
  };
}

async function carryOutChanges(
  business: Business,
  changes: readonly Change[],
  options?: WriteOptions,
): Promise<readonly ChangeResult[]> {
  const writes = await Promise.all(
    changes.map(({ recordType, write, input, path }) =>
      toRecordWrite(business, recordType, write, input, {
        companyId: business.companyId(input.companyId),
        path,
      }),
    ),
  );
  const outcomes = await business.write(writes, options);
  return Promise.all(
    changes.map(async ({ recordType: { complete, type }, write, input }, index) => {
      const { record, userErrors } = outcomes[index] as WriteOutcome;
      const deletedId = write === 'delete' && userErrors.length === 0 ? (input as KeyedInput).id : null;
      return {
        record: record && complete ? await complete(business, record) : record,
        deletedId,
        deletedNodeId: deletedId && encodeNodeId(type, [business.companyId(input.companyId), deletedId]),
        userErrors,
      };
    }),
  );
}

/** Converts an input, at a path of the mutation's `input`, to the write of a record or of a line of `ownerId`. */
async function toRecordWrite(
  business: Business,
  set: RecordSet,
  write: WriteName,
  input: Input,
  place: Pick<RecordWrite['target'], 'companyId' | 'ownerId' | 'path'>,
): Promise<RecordWrite> {
  const { companyId, path } = place;
  if (write === 'create') {
    const faults: UserError[] = [];
    const { companyId: _company, id, ...given } = input as CreateInput;
    const fields = await completeLines(business, set, companyId, given, path, faults);
    return { write, set, target: { ...place, id: id ?? null, fields, faults } };
  }
  const { id, ifMatch, patch } = input as UpdateInput;
  const target = { ...place, id, ifMatch };
  return write === 'delete' ? { write, set, target } : { write, set, target: { ...target, patch } };
}

const entryPath = (index: number) => ['entries', String(index)];

function checkEntryCount<I>(entries: readonly I[]): readonly I[] {
  if (entries.length >= 1 && entries.length <= maxMutationEntries) return entries;
  throw new InputError(`\`entries\` takes 1 to ${maxMutationEntries} entries; it has ${entries.length}.`);
}

/** Has another field with the owner's id, such as `orderId`. */
interface LinesInput {
  readonly companyId?: string | null;
  readonly entries: readonly Input[];
  readonly atomic: boolean;
}

const lineVerbs = { create: 'add', update: 'update', delete: 'remove' } as const;

/** The name of a mutation of lines of a type, such as `addSalesOrderLines`. */
export const lineMutationName = (write: WriteName, type: string): string => `${lineVerbs[write]}${type}s`;

/** Creates the resolvers of the mutations of a record type's lines; an empty object for a type without lines. */
export function createLineMutations(recordType: RecordTypeDescriptor, { one }: RecordNames) {
  const { lines } = recordType;
  if (!lines) return {};
  const { set } = lines;
  const mutationOf = (write: WriteName) => {
    const resolve = async (
      _root: unknown,
      { input }: { readonly input: LinesInput & WriteInput },
      { business }: Context,
      { selected: { fields } }: FieldInfo,
    ) => {
      const { entries, atomic } = input;
      checkEntryCount(entries);
      const companyId = business.companyId(input.companyId);
      const ownerId = input[`${lines.owner}Id`] as string;
      const writes = await Promise.all(
        entries.map((entry, index) =>
          toRecordWrite(business, set, write, entry, { companyId, ownerId, path: entryPath(index) }),
        ),
      );
      const outcomes = await business.write(writes, { isTransaction: atomic });
      const isOwnerSelected = fields.has(one) || selectsOwnerFields(business, set);
      const owner = isOwnerSelected ? await readOwner(business, recordType, set, companyId, ownerId) : null;
      return {
        [one]: owner,
        results: outcomes.map(({ record, userErrors }, index) => ({
          line: record && { ...copyRecord(record), ...ownerFieldsOf(set, owner) },
          deletedId: write === 'delete' && userErrors.length === 0 ? (entries[index] as KeyedInput).id : null,
          userErrors,
        })),
      };
    };
    return [lineMutationName(write, set.type), resolve] as const;
  };
  return Object.fromEntries(lines.writes.map(mutationOf));
}

/** Whether the operation selects fields of lines that are columns of their owner. */
const selectsOwnerFields = ({ selection }: Business, { type, ownerFields = [] }: RecordSet): boolean =>
  ownerFields.some((name) => selection.ofType(type).fields.has(name));

const ownerFieldsOf = ({ ownerFields = [] }: RecordSet, owner: WriteInput | null): WriteInput =>
  Object.fromEntries(ownerFields.map((name) => [name, owner?.[name] ?? null]));

/** Reads the owner after the writes. Returns null for a failure, which must not hide the outcomes of the writes. */
async function readOwner(
  business: Business,
  recordType: RecordTypeDescriptor,
  { ownerFields = [] }: RecordSet,
  companyId: string,
  ownerId: string,
): Promise<WriteInput | null> {
  const selected = selectMore(business.selection.ofType(recordType.type), ownerFields);
  return business.loadView(business.plan(recordType, selected), companyId, ownerId).catch(() => null);
}
