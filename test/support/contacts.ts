import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** To whom this process opens connections for HTTP; whether they come about does not matter. */
export interface Contacts {
  /** Host and port of each, so far. */
  hosts(): ReadonlySet<string>;
  stop(): void;
}

// Both the undici that the layer uses and the one behind `fetch` tell of it.
const channel = 'undici:client:beforeConnect';

export function watchContacts(): Contacts {
  const hosts = new Set<string>();
  const note = (message: unknown) => {
    const { connectParams } = message as { connectParams: { hostname: string; port: string } };
    hosts.add(`${connectParams.hostname}:${connectParams.port}`);
  };
  subscribe(channel, note);
  return { hosts: () => hosts, stop: () => void unsubscribe(channel, note) };
}
