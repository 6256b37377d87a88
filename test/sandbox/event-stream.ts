import { expect } from 'vitest';
import type { Json } from '../support/json.ts';

interface ServerSentEvent {
  readonly event: string;
  readonly id: string;
  readonly data: Json;
}

/** Listens to the journal, and keeps what arrives. */
export async function listen(url: string, lastEventId?: string) {
  const controller = new AbortController();
  const response = await fetch(`${url}/sandbox/journal/events`, {
    headers: { ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
    signal: controller.signal,
  });
  const events: ServerSentEvent[] = [];
  let text = '';
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      events.push(...blocks.filter((block) => block.startsWith('event:')).map(parseEvent));
    }
  })().catch(() => undefined);

  const entries = (): Json[] => events.filter(({ event }) => event === 'entries').flatMap(({ data }) => data);
  return {
    response,
    events,
    entries,
    /** The status of each path, once that many requests have ended. */
    async ended(count: number): Promise<Json[]> {
      const done = () => entries().filter(({ isPending }) => !isPending);
      await expect.poll(() => done().length).toBeGreaterThanOrEqual(count);
      return done();
    },
    async close() {
      controller.abort();
      await reading;
    },
  };
}

function parseEvent(block: string): ServerSentEvent {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)));
  return { event: fields.event ?? '', id: fields.id ?? '', data: JSON.parse(fields.data ?? 'null') };
}
