import { setTimeout as sleep } from 'node:timers/promises';
import { createClient as createEventClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { Agent, fetch } from 'undici';
import { WebSocket } from 'ws';
import { sandboxExamples } from '../../sandbox/seed.ts';
import type { Random } from '../../sandbox/seeded.ts';
import type { Json } from '../support/json.ts';
import { actionInput, place, progress, stop } from '../support/operations.ts';

/** How often something ended so: by the first code that was told, or as `answered`, `watched`, `left`. */
export type Tally = Map<string, number>;

/** Callers of one layer, who do all that callers do. */
export interface Mixture {
  readonly tally: Tally;
  /** Does one thing after another until it is time. */
  work(random: Random, until: number): Promise<void>;
  /** Closes what was kept open. */
  close(): void;
}

const callers = 60;
const instances = ['app01', 'app02', 'quick', 'slow-stop'];

const quote = (values: object) =>
  Object.entries(values)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(' ');

const queryFor = (random: Random): string =>
  random.pick([
    `{ company { customer(id: "${sandboxExamples.customerId}") { displayName etag } } }`,
    `{ company { customers(first: ${random.between(1, 60)}) { totalCount nodes { id displayName salesOrders(first: 1) { nodes { number } } } } } }`,
    `{ company { items(first: ${random.between(1, 100)}) { nodes { number displayName } } } companies { nodes { name } } }`,
    `{ applicationInstance(${quote({ ...place, applicationInstanceName: random.pick(instances) })}) { name status } }`,
    '{ healthEvents(first: 5) { totalCount nodes { trackingId title } } }',
    '{ healthEvent(trackingId: "SI_1-QRT") { title summary } companies { totalCount } }',
    '{ no such query',
  ]);

const create = `mutation { createCustomer(input: { displayName: "Soaked" }) { customer { id etag } userErrors { code } } }`;
const update = `mutation ($id: UUID!, $ifMatch: String!, $city: String!) {
  updateCustomer(input: { id: $id, ifMatch: $ifMatch, patch: { city: $city } }) { customer { id etag } userErrors { code } }
}`;
const remove = `mutation ($id: UUID!, $ifMatch: String!) {
  deleteCustomer(input: { id: $id, ifMatch: $ifMatch }) { userErrors { code } }
}`;

export function createMixture(url: string): Mixture {
  const tally: Tally = new Map();
  // The global one would keep its connections as long as the layer does. Streams have one of their own.
  const newAgents = () => [new Agent({ connections: 32 }), new Agent()] as const;
  let [agent, streamAgent] = newAgents();
  const note = (what: string) => void tally.set(what, (tally.get(what) ?? 0) + 1);
  const tokenFor = (random: Random) => `soaking-caller-${random.between(1, callers)}`;

  const ask = async (
    token: string,
    query: string,
    variables: object = {},
    leavesAfterMs = 0,
  ): Promise<Json> => {
    const answered = fetch(`${url}/graphql`, {
      method: 'POST',
      dispatcher: agent,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables }),
      ...(leavesAfterMs > 0 && { signal: AbortSignal.timeout(leavesAfterMs) }),
    }).then((response) => response.json());
    const answer = await (leavesAfterMs > 0 ? answered.catch(() => null) : answered);
    if (answer === null) {
      note('left');
      return undefined;
    }
    const { data, errors } = answer as Json;
    note(errors?.[0].extensions.code ?? 'answered');
    return data;
  };

  const change = async (random: Random) => {
    const token = tokenFor(random);
    const { customer } = (await ask(token, create))?.createCustomer ?? {};
    if (!customer) return;
    const { id, etag } = customer;
    await ask(token, update, { id, ifMatch: etag, city: `Oslo ${random.between(1, 99)}` });
    await ask(token, remove, { id, ifMatch: '*' });
  };

  const watch = async (random: Random) => {
    const token = tokenFor(random);
    const input = actionInput({ ...place, applicationInstanceName: random.pick(instances) });
    const stopped = random.oneIn(3) ? await ask(token, stop, { input }) : null;
    const id = stopped?.stopApplicationInstance?.operation?.id;
    const query = id
      ? { query: progress, variables: { id } }
      : {
          query: random.pick([
            'subscription { recordChanged(types: [CUSTOMER]) { id change } }',
            'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }',
          ]),
        };
    const isStream = random.oneIn(2);
    let isConnected = false;
    const client = isStream
      ? createEventClient({
          url: `${url}/graphql/stream`,
          headers: { authorization: `Bearer ${token}` },
          retryAttempts: 0,
          fetchFn: (url: string, options: object) => fetch(url, { ...options, dispatcher: streamAgent }),
        })
      : createSocketClient({
          url: `${url.replace('http', 'ws')}/graphql`,
          webSocketImpl: WebSocket,
          connectionParams: { authorization: `Bearer ${token}` },
          retryAttempts: 0,
          lazyCloseTimeout: 0,
          on: {
            connected: () => {
              isConnected = true;
            },
          },
        });
    const events = client.iterate(query);
    const leaving = sleep(random.between(10, 1_500)).then(() => ({ done: true as const }));
    try {
      while (!(await Promise.race([events.next(), leaving])).done);
      note('watched');
    } catch {
      note('watch ended with an error');
    }
    // A socket that is terminated while it opens says so to nobody in particular.
    if (isConnected && random.oneIn(3) && 'terminate' in client) client.terminate();
    void events.return?.()?.catch(() => {});
    await client.dispose();
  };

  return {
    tally,
    async work(random, until) {
      while (Date.now() < until) {
        const kind = random.between(0, 19);
        if (kind < 3) await change(random);
        else if (kind < 5) await watch(random);
        else await ask(tokenFor(random), queryFor(random), {}, random.oneIn(50) ? random.between(1, 30) : 0);
      }
    },
    close() {
      void agent.destroy();
      void streamAgent.destroy();
      [agent, streamAgent] = newAgents();
    },
  };
}
