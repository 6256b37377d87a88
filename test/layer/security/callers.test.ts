import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Issuer, startIssuer, startIssuerForTest } from '../../support/issuer.ts';
import {
  type Event,
  firstOf,
  openSocket,
  startLayerForTest,
  startTestLayer,
  type TestLayer,
} from '../../support/layer.ts';
import { actionInput, place, stop } from '../../support/operations.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

let issuer: Issuer;
let sandbox: TestSandbox;
let layer: TestLayer;
const scopes = { WRITE_SCOPES: 'records.write', OPERATE_SCOPES: 'instances.operate, instances.read' };
beforeAll(async () => {
  [issuer, sandbox] = await Promise.all([startIssuer(), startTestSandbox()]);
  layer = await startTestLayer(sandbox.url, { ...issuer.settings, ...scopes });
});
beforeEach(() => sandbox.reset());
afterAll(async () => {
  await layer.stop();
  await sandbox.stop();
  issuer.stop();
});

const watching = 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }';
const companies = '{ companies { totalCount } }';

/** A WebSocket that says it has been given these tokens. */
async function openWith(payload: object) {
  const socket = await openSocket(layer);
  socket.send(JSON.stringify({ type: 'connection_init', payload }));
  return socket;
}

/** How each transport answers a token: the code of a refusal, or `ok`. */
const transports = {
  POST: async (authorization: string) => {
    const { status, errors, headers } = await layer.query(companies, {}, { authorization });
    if (status === 401) expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    return errors ? `${status} ${errors[0]?.extensions.code}` : 'ok';
  },
  'event streams': async (authorization: string) => {
    const response = await fetch(`${layer.url}/graphql/stream?query=${encodeURIComponent(watching)}`, {
      headers: { authorization, accept: 'text/event-stream', 'apollo-require-preflight': '1' },
    });
    if (response.ok) {
      const reader = response.body?.getReader();
      let told = '';
      while (!told.includes('event: next')) told += Buffer.from((await reader?.read())?.value ?? []);
      await reader?.cancel();
      return 'ok';
    }
    const { errors } = (await response.json()) as Event;
    return `${response.status} ${errors?.[0]?.extensions.code}`;
  },
  WebSocket: async (authorization: string) => {
    const socket = await openWith({ authorization });
    const answer = await Promise.race([once(socket, 'message'), once(socket, 'close')]);
    if (typeof answer[0] === 'number')
      return answer[0] === 4401 ? '401 UNAUTHENTICATED' : `closed ${answer[0]}`;
    socket.close();
    return 'ok';
  },
};

test.each(Object.entries(transports))(
  'over %s a verified caller is served, any other is rejected, and nothing is sent upstream for it',
  async (_name, answerTo) => {
    const other = await startIssuerForTest();
    for (const authorization of [
      '',
      'Basic YTpi',
      'Bearer tester',
      `Bearer ${await issuer.token('ada', '', -120)}`,
      `Bearer ${await other.token('ada')}`,
    ])
      expect(await answerTo(authorization), authorization).toBe('401 UNAUTHENTICATED');
    expect(await sandbox.calls()).toEqual([]);

    expect(await answerTo(`Bearer ${await issuer.token('ada')}`)).toBe('ok');
    // What was opened is closed a moment after its client has gone.
    const callsInAWhile = async () => {
      await sandbox.forgetCalls();
      await sleep(100);
      return sandbox.calls();
    };
    await expect.poll(callsInAWhile).toEqual([]);
  },
);

const ask = async (claims: string, query: string, variables = {}) =>
  layer.query(query, variables, { authorization: `Bearer ${await issuer.token('ada', claims)}` });
const create = 'createCustomer(input: {displayName: "A"}) { userErrors { code } }';

test('without the scope for it a write is FORBIDDEN, and no part of the operation is executed', async () => {
  for (const query of [
    `mutation { ${create} }`,
    `mutation { ...F } fragment F on Mutation { ...G } fragment G on Mutation { ${create} }`,
    `mutation { ... { ... on Mutation { ${create} } } }`,
    `mutation { ${create.replace(') {', ') @skip(if: true) {')} }`,
  ]) {
    const { status, headers, data, errors } = await ask(
      'user_impersonation instances.operate instances.read',
      query,
    );
    expect(status).toBe(403);
    expect(headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="records.write"');
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([
      {
        message: 'The token lacks the scope records.write, which `createCustomer` requires.',
        extensions: { code: 'FORBIDDEN' },
      },
    ]);
  }
  expect(await sandbox.calls()).toEqual([]);
  const { data } = await ask('records.write', `mutation { ${create} }`);
  expect(data.createCustomer.userErrors).toEqual([]);
});

test('stopping requires all of its own scopes, and those for writes do not suffice', async () => {
  const input = actionInput({ ...place, applicationInstanceName: 'app01' });

  const { errors } = await ask('user_impersonation records.write instances.operate', stop, { input });
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  expect(await sandbox.calls()).toEqual([]);
  const { data } = await ask('user_impersonation instances.operate instances.read', stop, { input });
  expect(data.stopApplicationInstance.operation.state).toBe('RUNNING');
});

test('areas B and C accept user_impersonation, on every transport; area A does not', async () => {
  const claims = 'records.write instances.operate instances.read';
  const handle = 'eyJhbGciOiJkaXIifQ..x.x.x';
  const ways = [
    '{ a: healthEvent(trackingId: "SA_5-XYZ") { ...F } } fragment F on HealthEvent { title }',
    `{ instanceOperation(id: "${handle}") { state } }`,
    `mutation { ${create} stopApplicationInstance(input: {instance: {nodeId: "x"}}) { userErrors { code } } }`,
    '{ _entities(representations: [{ __typename: "HealthEvent", scope: "tenant", trackingId: "SA_5-XYZ" }]) { ... on HealthEvent { title } } }',
    `{ _entities(representations: [{ __typename: "InstanceOperation", id: "${handle}" }]) { ... on InstanceOperation { state } } }`,
  ];

  for (const query of ways) {
    const { errors } = await ask(claims, query);
    expect(errors, query).toMatchObject([
      { message: expect.stringContaining('user_impersonation'), extensions: { code: 'FORBIDDEN' } },
    ]);
  }
  for (const watch of [layer.watch, layer.watchEvents]) {
    const { errors } = await firstOf(watch(watching, {}, await issuer.token('ada', claims)));
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  }
  expect(await sandbox.calls()).toEqual([]);
  expect((await ask(claims, companies)).errors).toBeUndefined();
});

test('a verified caller may send areas B and C a token of another issuer, in their own header', async () => {
  const other = await startLayerForTest(sandbox.url, {
    ...issuer.settings,
    MANAGEMENT_TOKEN_HEADER: 'x-management-authorization',
  });
  const authorization = `Bearer ${await issuer.token('ada', 'none')}`;
  const query = '{ healthEvents(first: 1) { nodes { title } } }';

  const own = await other.query(query, {}, { authorization, 'x-management-authorization': 'Bearer tester' });
  const none = await other.query(query, {}, { authorization });
  const unproven = await other.query(
    query,
    {},
    { authorization: '', 'x-management-authorization': 'Bearer tester' },
  );

  expect(own.errors).toBeUndefined();
  expect(none.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  expect(unproven).toMatchObject({ status: 401 });
});

test('a WebSocket is closed with 4401 when its token expires, and an event stream ends with UNAUTHENTICATED', async () => {
  const token = await issuer.token('ada', 'user_impersonation', 2);
  const watchEvents = async () => {
    const events: Event[] = [];
    for await (const event of layer.watchEvents(watching, {}, token)) events.push(event);
    return events;
  };
  const watched = watchEvents();
  const socket = await openWith({ authorization: `Bearer ${token}` });
  const closed = once(socket, 'close');
  await once(socket, 'message');
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: watching } }));
  const events = await watched;

  expect(events).toMatchObject([
    { data: { healthEventChanged: { title: expect.any(String) } } },
    { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
  ]);
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([4401, 'The token has expired']);
});

test('where areas B and C have no header of their own, no WebSocket can bypass verification with a token', async () => {
  const authorization = `Bearer ${await issuer.token('ada', 'nothing')}`;
  const socket = await openWith({ authorization, managementAuthorization: 'Bearer nobody-verified-this' });
  onTestFinished(() => socket.terminate());
  await once(socket, 'message');
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: watching } }));
  const [message] = await once(socket, 'message');

  expect(JSON.parse(String(message)).payload).toMatchObject({
    errors: [{ extensions: { code: 'FORBIDDEN' } }],
  });
  expect(await sandbox.calls()).toEqual([]);
});

test('with roles instead of scopes a service meets the same requirement, and none where it is empty', async () => {
  const open = await startLayerForTest(sandbox.url, {
    ...issuer.settings,
    MANAGEMENT_SCOPES: '',
    WRITE_SCOPES: 'A B',
  });
  const codesOf = async (roles: readonly string[], query: string) => {
    const authorization = `Bearer ${await issuer.serviceToken('a service', roles)}`;
    const { errors = [] } = await open.query(query, {}, { authorization });
    return errors.map(({ extensions }) => extensions.code);
  };

  expect(await codesOf([], '{ healthEvents(first: 1) { nodes { title } } }')).toEqual([]);
  expect(await codesOf(['Other', 'B', 'A'], `mutation { ${create} }`)).toEqual([]);
  await sandbox.forgetCalls();
  expect(await codesOf(['B'], `mutation { ${create} }`)).toEqual(['FORBIDDEN']);
  expect(await sandbox.calls()).toEqual([]);
});
