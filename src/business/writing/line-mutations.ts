import type { GraphQLResolveInfo } from 'graphql';
import { InputError } from '../../errors.ts';
import type { Context } from '../../graph/context.ts';
import { selectMore } from '../../graph/selected-object.ts';
import type { UserError } from '../../graph/user-errors.ts';
import type { Business } from '../business.ts';
import type { RecordSet } from '../record-set.ts';
import type { LinesDescriptor, RecordNames, RecordTypeDescriptor, WriteName } from '../record-type.ts';
import { resolveReferences } from './input-references.ts';
import { checkEntryCount, entryPath, requireTransactions } from './mutations.ts';
import type { WriteInput } from './write-fields.ts';
import type { RecordWrite } from './writes.ts';

interface KeyedEntry {
  readonly id: string;
  readonly ifMatch: string;
}

type LineEntry = WriteInput | KeyedEntry | (KeyedEntry & { readonly patch: WriteInput });

/** Beside these fields, one that names the owner: see `lineMutationNames`. */
interface LinesInput {
  readonly companyId?: string | null;
  readonly entries: readonly LineEntry[];
  readonly atomic: boolean;
}

/** The verb of the mutation of lines for each kind of write. */
export const lineVerbs = { create: 'add', update: 'update', delete: 'remove' } as const satisfies Record<
  WriteName,
  string
>;

/** The name of a mutation of lines, such as `addSalesOrderLines`, and the field of its input that names their owner. */
export function lineMutationNames(write: WriteName, { set, owner }: LinesDescriptor) {
  return { mutation: `${lineVerbs[write]}${set.type}s`, ownerKey: `${owner}Id` };
}

/** The resolvers of the mutations of a record type's lines; none where it has no such lines. */
export function createLineMutations(recordType: RecordTypeDescriptor, { one }: RecordNames) {
  const { lines } = recordType;
  if (!lines) return {};
  const { set } = lines;
  const mutationOf = (write: WriteName) => {
    const { mutation, ownerKey } = lineMutationNames(write, lines);
    const resolve = async (
      _root: unknown,
      { input }: { readonly input: LinesInput & WriteInput },
      { business }: Context,
      info: GraphQLResolveInfo,
    ) => {
      const { entries, atomic } = input;
      if (!business.dialect.hasLineAddresses)
        throw new InputError(
          `\`${mutation}\` needs an upstream whose lines have addresses of their own (BUSINESS_DIALECT=dynamics).`,
        );
      checkEntryCount(entries);
      if (atomic) requireTransactions(business);
      const companyId = business.companyId(input.companyId);
      const ownerId = input[ownerKey] as string;
      const writes = entries.map((entry, index) =>
        toLineWrite(set, write, entry, { companyId, ownerId, path: entryPath(index) }),
      );
      const outcomes = await business.write(writes, { isTransaction: atomic });
      const { fields } = business.selection.at(info);
      const isOwnerSelected = fields.has(one) || selectsOwnerFields(business, set);
      const owner = isOwnerSelected ? await readOwner(business, recordType, set, companyId, ownerId) : null;
      return {
        [one]: owner,
        results: outcomes.map(({ record, userErrors }, index) => ({
          line: record && { ...record, ...ownerFieldsOf(set, owner) },
          deletedId: write === 'delete' && userErrors.length === 0 ? (entries[index] as KeyedEntry).id : null,
          userErrors,
        })),
      };
    };
    return [mutation, resolve] as const;
  };
  return Object.fromEntries((Object.keys(lineVerbs) as WriteName[]).map(mutationOf));
}

type LineTarget = Pick<RecordWrite['target'], 'companyId' | 'path'> & { readonly ownerId: string };

function toLineWrite(set: RecordSet, write: WriteName, entry: LineEntry, target: LineTarget): RecordWrite {
  const faults: UserError[] = [];
  if (write === 'create')
    return {
      write,
      set,
      target: {
        ...target,
        id: null,
        fields: resolveReferences(set, entry as WriteInput, target.path, faults),
        faults,
      },
    };
  const { id, ifMatch, patch } = entry as KeyedEntry & { readonly patch: WriteInput };
  const keyed = { ...target, id, ifMatch };
  if (write === 'delete') return { write, set, target: keyed };
  return {
    write,
    set,
    target: { ...keyed, patch: resolveReferences(set, patch, [...target.path, 'patch'], faults), faults },
  };
}

/** Whether the operation selects fields of lines that are columns of their owner. */
const selectsOwnerFields = ({ selection }: Business, { type, ownerFields = [] }: RecordSet): boolean =>
  ownerFields.some((name) => selection.ofType(type).fields.has(name));

const ownerFieldsOf = ({ ownerFields = [] }: RecordSet, owner: WriteInput | null): WriteInput =>
  Object.fromEntries(ownerFields.map((name) => [name, owner?.[name] ?? null]));

/** The owner as it is after the writes; null if it cannot be read, which must not hide their outcomes. */
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
