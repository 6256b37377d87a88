import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ApiError } from '../api-error.ts';
import type { ApiRequest } from '../http.ts';
import type { Journal } from '../journal.ts';
import type { ControlRoutes } from './control-routes.ts';

const maxListeners = 20;

/** Entries that are sent at once, at the start and later: of more, the newest. */
const maxEntries = 500;

/** Bytes that a listener may leave unread before its connection is closed. It continues where it was. */
const maxUnreadBytes = 16_000_000;

/** Collects changes, so that a burst of requests costs few events. */
const flushEveryMs = 250;

/**
 * The journal as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): `entries` with
 * a list of those that are new or changed, `emptied` when there are none any more. `Last-Event-ID` continues after an
 * event. While nobody listens, nothing is done.
 */
export function journalStreamRoutes(journal: Journal): ControlRoutes {
  // Ids of an earlier start mean nothing.
  const run = randomBytes(6).toString('hex');
  const flushes = new Set<() => void>();
  let unsubscribe: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;

  function scheduleFlush(): void {
    if (timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      for (const flush of flushes) flush();
    }, flushEveryMs).unref();
  }

  /** Sends changes after a revision; of an unknown event, everything. */
  function listen(response: ServerResponse, lastEventId: string | undefined): void {
    const { last } = journal.revisions();
    const [, known, revision] = /^(\w+)\.(\d+)$/.exec(lastEventId ?? '') ?? [];
    const isKnown = known === run && Number(revision) <= last;
    let sent = isKnown ? Number(revision) : 0;
    let isFirst = !isKnown;

    const send = (event: string, id: number, data: unknown): void => {
      response.write(`event: ${event}\nid: ${run}.${id}\ndata: ${JSON.stringify(data)}\n\n`);
    };
    const flush = (): void => {
      if (response.writableLength > maxUnreadBytes) {
        response.destroy();
        return;
      }
      const { last: now, emptied } = journal.revisions();
      if (isFirst || emptied > sent) send('emptied', emptied, null);
      const changed = journal.changedSince(sent).slice(-maxEntries);
      if (changed.length > 0) send('entries', now, changed);
      [sent, isFirst] = [now, false];
    };

    flushes.add(flush);
    unsubscribe ??= journal.onChange(scheduleFlush);
    response.once('close', () => {
      flushes.delete(flush);
      if (flushes.size > 0) return;
      unsubscribe?.();
      unsubscribe = undefined;
    });
    response.flushHeaders();
    response.write('retry: 1000\n\n');
    flush();
  }

  return {
    'GET /sandbox/journal/events': {
      description: `The journal as server-sent events: the last ${maxEntries} entries, then those that are new or changed. Last-Event-ID continues after an event.`,
      handle(request: ApiRequest) {
        if (flushes.size >= maxListeners)
          throw new ApiError(503, 'TooManyListeners', `At most ${maxListeners} clients can listen at once.`);
        const { 'last-event-id': lastEventId } = request.headers;
        return {
          status: 200,
          headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
          body: '',
          stream: (response) => listen(response, lastEventId === undefined ? undefined : String(lastEventId)),
        };
      },
    },
  };
}
