import { LRUCache } from 'lru-cache';
import { InputError } from '../../errors.ts';
import type { CursorCodec } from '../../graph/cursor.ts';
import { withTypename } from '../../graph/entities.ts';
import type { RelayConnection } from '../../graph/relay-connection.ts';
import { createRowLists, type RowListQuery } from '../../graph/rows/row-lists.ts';
import { classifyAbsence } from '../../http/absence.ts';
import type { Access } from '../../http/auth/access.ts';
import type { UpstreamClient } from '../../http/client.ts';
import { badResponseError } from '../../http/errors.ts';
import { readListRows } from '../../http/pagination.ts';
import { redactData } from '../../http/redaction.ts';
import { createGroupedReads } from '../../runtime/grouped-reads.ts';
import { isJsonObject, stringOrNull } from '../../runtime/json.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import type { Semaphore } from '../../runtime/semaphore.ts';
import {
  addressKey,
  buildInstancePath,
  buildResourcePath,
  type InstanceApiSettings,
  type ResourceNames,
  validateInstanceAddress,
} from '../instance-address.ts';
import { findNamedResource, type ResourceForm, type ResourceKind } from './resource-kinds.ts';
import type {
  CentralInstanceRecord,
  DatabaseInstanceRecord,
  InstanceRecord,
  VirtualInstanceRecord,
} from './resource-records.ts';

type ResourceRecord = InstanceRecord | CentralInstanceRecord | DatabaseInstanceRecord | VirtualInstanceRecord;

/** Reads the resources of area B. One per GraphQL operation; it reads nothing twice, even after a failure. */
export interface ResourceReads {
  /** Reads a resource; null if it does not exist. Throws `InputError` for an invalid address. */
  readResource<Scope, Address extends ResourceNames, Row>(
    kind: ResourceForm<Scope, Address, Row>,
    address: Address,
  ): Promise<Row | null>;
  /**
   * Reads the whole list of a scope, filters and sorts it, and returns a page. Pages after a cursor use the list that this
   * process has read for the caller within the last minute, if any.
   */
  listResources<Scope extends ResourceNames, Address extends ResourceNames, Row extends Address>(
    kind: ResourceKind<Scope, Address, Row>,
    scope: Scope,
    page: RowListQuery,
  ): Promise<RelayConnection<Row>>;
  readList<Scope extends ResourceNames, Address extends ResourceNames, Row extends Address>(
    kind: ResourceForm<Scope, Address, Row>,
    scope: Scope,
  ): Promise<readonly Row[]>;
  /** Returns the id of a resource at the upstream, which is its path. */
  resourceIdOf(address: ResourceNames): string;
  /**
   * Looks a resource up by its id; null if unknown or deleted. A single resource is read on its own, several of one
   * list with that list.
   */
  findResource(resourceId: string): Promise<ResourceRecord | null>;
}

export interface ResourceReadsOptions extends InstanceApiSettings {
  readonly client: UpstreamClient;
  readonly cursors: CursorCodec;
  readonly keptLists: KeptLists;
}

/** `limit` bounds the concurrent reads of the GraphQL operation. */
export function createResourceReads(
  options: ResourceReadsOptions,
  access: Access,
  limit: Semaphore,
): ResourceReads {
  const { client, cursors, keptLists, segment, apiVersion } = options;
  // By path, which determines the type of the value.
  const reads = new Map<string, Promise<unknown>>();
  const readOnce = <Value>(path: string, read: () => Promise<Value>) =>
    getOrCompute(reads, path.toLowerCase(), read) as Promise<Value>;
  const rowLists = createRowLists(cursors, access.principal);
  const keptRowLists = createRowLists(cursors, access.principal);
  const groupedReads = createGroupedReads<object>();
  const toKeptKey = (path: string) => JSON.stringify([access.principal, path]);

  const validate = (names: ResourceNames) => {
    const [fault] = validateInstanceAddress(names);
    if (fault) throw new InputError(fault.message);
  };

  const readResource: ResourceReads['readResource'] = async (kind, address) => {
    validate(address);
    const path = buildInstancePath(options, address);
    return readOnce(path, async () => {
      const send = () => client.send({ method: 'GET', path, access });
      const response = await limit(send).catch((error: unknown) => {
        if (classifyAbsence(error) === 'proven') return null;
        throw error;
      });
      if (response === null) return null;
      const body = redactData(response);
      const row = kind.parse(withUpstreamCase(options, address, body), body);
      if (row) return row;
      const message = `The upstream responded with something other than ${kind.title}.`;
      throw badResponseError('instances', message, response);
    });
  };

  const readList: ResourceReads['readList'] = async (kind, scope) => {
    validate(scope);
    const path = buildResourcePath(options, scope, kind.segment ?? segment);
    const list = { upstream: 'instances', path, apiVersion, content: kind.plural } as const;
    return readOnce(path, async () => {
      // Leaves out a resource whose name a path cannot contain: it could not be read again.
      const found = await limit(() =>
        readListRows(client, list, access, (body) => {
          const address = kind.findAddress(scope, body);
          if (address === null || validateInstanceAddress(address).length > 0) return null;
          const row = kind.parse(withUpstreamCase(options, address, body), body);
          return row && [kind.nameOf(address), row];
        }),
      );
      const rows = [...found.values()];
      keptLists.set(toKeptKey(path), rows);
      return rows;
    });
  };

  return {
    readResource,
    readList,

    async listResources<Scope extends ResourceNames, Address extends ResourceNames, Row extends Address>(
      kind: ResourceKind<Scope, Address, Row>,
      scope: Scope,
      page: RowListQuery,
    ) {
      validate(scope);
      const path = buildResourcePath(options, scope, kind.segment ?? segment);
      const kept = page.after == null ? undefined : keptLists.get(toKeptKey(path));
      if (!kept) return rowLists.page(kind, [path], page, () => readList(kind, scope));
      // The rows of one path are of one kind.
      return keptRowLists.page(kind, [path], page, async () => kept as readonly Row[]);
    },

    resourceIdOf: (address) => buildResourcePath(options, address),

    async findResource(resourceId) {
      const found = findNamedResource(options, resourceId);
      if (found === null) return null;
      const { kind, scope, address } = found;
      const group = buildResourcePath(options, scope, kind.segment ?? segment).toLowerCase();
      const row = await groupedReads.read(group, kind.nameOf(address).toLowerCase(), {
        readOne: () => readResource(kind, address),
        async readGroup() {
          const rows = await readList(kind, scope);
          return new Map(rows.map((one) => [kind.nameOf(one).toLowerCase(), one]));
        },
      });
      return row && (withTypename<object>(row, kind.type) as unknown as ResourceRecord);
    },
  };
}

/** Returns the address in the upper and lower case of the resource's own id, if that names the same resource. */
function withUpstreamCase<Address extends ResourceNames>(
  options: InstanceApiSettings,
  address: Address,
  body: unknown,
): Address {
  const id = isJsonObject(body) ? stringOrNull(body.id) : null;
  const named = findNamedResource(options, id ?? '')?.address;
  return named && addressKey(named) === addressKey(address)
    ? { ...address, ...named, subscriptionId: address.subscriptionId }
    : address;
}

/**
 * Caches the list of a connection's first page, by principal and path, so that the next pages take no call and belong
 * to the same list.
 */
export type KeptLists = LRUCache<string, readonly unknown[]>;

const listTtlMs = 60_000;
const maxLists = 200;
// A row takes one to two kilobytes.
const maxRows = 20_000;

export const createKeptLists = (): KeptLists =>
  new LRUCache({
    max: maxLists,
    maxSize: maxRows,
    sizeCalculation: ({ length }) => length + 1,
    ttl: listTtlMs,
  });
