import { subscribe, unsubscribe } from 'node:diagnostics_channel';

export type Contacts = ReturnType<typeof watchContacts>;

// Both the undici that the layer uses and the one behind `fetch` tell of it.
const channel = 'undici:client:beforeConnect';

/** To whom this process opens connections for HTTP; whether they come about does not matter. */
export function watchContacts() {
  const hosts = new Set<string>();
  const note = (message: unknown) => {
    const { connectParams } = message as { connectParams: { hostname: string; port: string } };
    hosts.add(`${connectParams.hostname}:${connectParams.port}`);
  };
  subscribe(channel, note);
  return { hosts: () => hosts, stop: () => void unsubscribe(channel, note) };
}
