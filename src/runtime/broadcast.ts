import { type ConflatedChannel, createConflatedChannel } from './conflated-channel.ts';

/** Gives a value and its changes to any number of subscribers. A slow one may miss values in between, never the last. */
export interface Broadcast<Value> {
  /** The last value published; null before the first. */
  latest(): Value | null;
  /** Starts with the last value, if there is one. */
  subscribe(): AsyncIterableIterator<Value>;
  /** Does nothing where the value equals the last one as JSON. */
  publish(value: Value): void;
  /** Ends every subscription. */
  end(): void;
  fail(error: unknown): void;
}

/** `onUnused` is called when the last subscriber leaves before the end. */
export function createBroadcast<Value>(onUnused: () => void): Broadcast<Value> {
  const channels = new Set<ConflatedChannel<Value>>();
  let latest: { readonly value: Value; readonly text: string } | null = null;

  return {
    latest: () => latest?.value ?? null,
    subscribe() {
      const channel = createConflatedChannel<Value>(() => {
        channels.delete(channel);
        if (channels.size === 0) onUnused();
      });
      if (latest) channel.push(latest.value);
      channels.add(channel);
      return channel.values;
    },
    publish(value) {
      const text = JSON.stringify(value);
      if (text === latest?.text) return;
      latest = { value, text };
      for (const channel of channels) channel.push(value);
    },
    end() {
      for (const channel of channels) channel.end();
    },
    fail(error) {
      for (const channel of channels) channel.fail(error);
    },
  };
}
