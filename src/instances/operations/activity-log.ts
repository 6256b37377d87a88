import { setImmediate } from 'node:timers/promises';
import { InputError, UpstreamError } from '../../errors.ts';
import { parseDateTime } from '../../graph/date-time.ts';
import type { Access } from '../../http/auth/access.ts';
import type { UpstreamClient } from '../../http/client.ts';
import { readRedactedPages } from '../../http/list-pages.ts';
import { startDeadline } from '../../runtime/deadline.ts';
import { isJsonObject, type JsonObject, stringOrNull } from '../../runtime/json.ts';
import { buildResourcePath, type InstanceApiSettings } from '../instance-address.ts';
import type { OperationOrigin } from './operation-handle.ts';

/** Finds who has started operations, in the activity log of the real service. */
export interface ActivityLog {
  /** Names operations that `findStarter` may be called with, so that one list is read for all of a subscription. */
  announce(operations: readonly OperationOrigin[]): void;
  /** Lists that are about to be read wait until this has settled: it announces an operation. */
  waitFor(opening: Promise<unknown>): void;
  /** Null where the log does not say, cannot be read, or names several. Never rejects because of the upstream. */
  findStarter(operation: OperationOrigin): Promise<string | null>;
}

export interface ActivityLogOptions extends InstanceApiSettings {
  readonly client: UpstreamClient;
  /** Whether the upstream has one (`ACTIVITY_LOG`). */
  readonly hasActivityLog: boolean;
}

// Azure/azure-rest-api-specs, monitor, activityLogs_API.json.
const logVersion = '2015-04-01';
// By how much the clocks of Tributary and of the upstream may differ.
const clockToleranceMs = 300_000;
// The log lags by minutes: what it did not say is read again after this.
const repeatMs = 60_000;
// The rest of the response waits for it.
const timeoutMs = 5_000;
const maxPages = 10;

/** An event of the log, as far as it is needed. */
interface LogEvent {
  readonly caller: string;
  readonly correlationId: string | null;
  readonly resourceId: string;
  readonly action: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** One list of the log. */
interface LogRead {
  readonly startedAt: number;
  /** What it is read for. Null until it is sent: it is then sent for all that are announced. */
  operations: ReadonlyMap<string, OperationOrigin> | null;
  readonly events: Promise<readonly LogEvent[]>;
}

export function createActivityLog(options: ActivityLogOptions, access: Access): ActivityLog {
  // The log is of another provider, whose throttling must not pause the calls of area B.
  const logAccess = { ...access, rateLimitKey: `${access.rateLimitKey} activity log` };
  const { client, namespace, hasActivityLog } = options;
  const announced = new Map<string, Map<string, OperationOrigin>>();
  const openings = new Set<Promise<unknown>>();
  const reads = new Map<string, LogRead>();
  const found = new Map<string, string>();

  const announceIn = (subscription: string) => {
    const operations = announced.get(subscription) ?? new Map<string, OperationOrigin>();
    announced.set(subscription, operations);
    return operations;
  };

  const readEvents = async (subscriptionId: string, operations: Iterable<OperationOrigin>) => {
    const times = Array.from(operations, ({ requestedAt }) => Date.parse(requestedAt));
    const filter = [
      `eventTimestamp ge '${new Date(Math.min(...times) - clockToleranceMs).toISOString()}'`,
      `eventTimestamp le '${new Date(Math.max(...times) + clockToleranceMs).toISOString()}'`,
      `resourceProvider eq '${namespace}'`,
    ].join(' and ');
    const list = {
      upstream: 'instances',
      path: `/subscriptions/${encodeURIComponent(subscriptionId)}/providers/Microsoft.Insights/eventtypes/management/values`,
      apiVersion: logVersion,
      parameters: `&$filter=${encodeURIComponent(filter)}`,
      content: 'events of the activity log',
    } as const;
    const deadline = startDeadline(timeoutMs, access.deadline ?? undefined);
    const events: LogEvent[] = [];
    let pages = 0;
    try {
      for await (const rows of readRedactedPages(client, list, logAccess, { kind: 'poll', deadline })) {
        events.push(...rows.flatMap((row) => parseEvent(row) ?? []));
        pages += 1;
        if (pages === maxPages) break;
      }
    } catch (error) {
      // What was read before says who started some of them.
      if (!(error instanceof UpstreamError || error instanceof InputError)) throw error;
    } finally {
      deadline.end();
    }
    return events;
  };

  const startRead = (subscriptionId: string): LogRead => {
    const key = subscriptionId.toLowerCase();
    const send = async () => {
      // The operations of one response are joined.
      await setImmediate();
      await Promise.allSettled(openings);
      read.operations = new Map(announceIn(key));
      return readEvents(subscriptionId, read.operations.values());
    };
    const read: LogRead = { operations: null, startedAt: performance.now(), events: send() };
    reads.set(key, read);
    return read;
  };

  const isFor = ({ operations, startedAt }: LogRead, { id }: OperationOrigin) =>
    operations === null || (operations.has(id) && performance.now() - startedAt < repeatMs);

  const announce = (operations: readonly OperationOrigin[]) => {
    for (const operation of operations)
      if (operation.subscriptionId !== null)
        announceIn(operation.subscriptionId.toLowerCase()).set(operation.id, operation);
  };

  return {
    announce: hasActivityLog ? announce : () => {},

    waitFor(opening) {
      openings.add(opening);
      const forget = () => openings.delete(opening);
      opening.then(forget, forget);
    },

    async findStarter(operation) {
      const { id, subscriptionId } = operation;
      if (!hasActivityLog || subscriptionId === null) return null;
      const known = found.get(id);
      if (known !== undefined) return known;
      announce([operation]);
      const last = reads.get(subscriptionId.toLowerCase());
      const read = last && isFor(last, operation) ? last : startRead(subscriptionId);
      const starter = nameStarter(options, operation, await read.events);
      if (starter !== null) found.set(id, starter);
      return starter;
    },
  };
}

function parseEvent(row: unknown): LogEvent | null {
  if (!isJsonObject(row)) return null;
  const { caller, correlationId, resourceId, operationName } = row;
  const time = parseDateTime(row.eventTimestamp);
  const name = isJsonObject(operationName) ? (operationName as JsonObject).value : operationName;
  const action = /\/(start|stop)\/action$/i.exec(stringOrNull(name) ?? '')?.[1];
  const who = stringOrNull(caller);
  const resource = stringOrNull(resourceId);
  if (!who || resource === null || action === undefined || time === null) return null;
  return {
    caller: who,
    correlationId: stringOrNull(correlationId),
    resourceId: resource.toLowerCase(),
    action: action.toUpperCase(),
    at: Date.parse(time),
  };
}

/** By the id of the request where the upstream named one; else by instance, action and time, where these name one caller only. */
function nameStarter(
  settings: InstanceApiSettings,
  operation: OperationOrigin,
  events: readonly LogEvent[],
): string | null {
  const { action, correlationId, requestedAt } = operation;
  const path = buildResourcePath(settings, operation).toLowerCase();
  const paths = new Set([path, decodeURIComponent(path)]);
  const sentAt = Date.parse(requestedAt);
  const isSameRequest = (event: LogEvent) =>
    correlationId === null
      ? Math.abs(event.at - sentAt) <= clockToleranceMs
      : event.correlationId?.toLowerCase() === correlationId.toLowerCase();
  const callers = events
    .filter((event) => event.action === action && paths.has(event.resourceId) && isSameRequest(event))
    .map(({ caller }) => caller);
  const [first = null] = callers;
  return new Set(callers).size === 1 ? first : null;
}
