import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { testBeforeStub, testToken } from '../../support/layer.ts';
import { app01 } from '../../support/operations.ts';
import type { StubRequest } from '../../support/stub.ts';

type Headers = Readonly<Record<string, string>>;

const own = '5f1d7a30-2c4b-4b53-9c39-0a4a4b2a9c11';
const other = '8c0e9a52-7f43-4d0f-8a2e-6a1df5a1b8b2';
const third = 'bb1a0d6e-3c55-4f0e-9b77-1f7b3c9d2e33';
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const test = testBeforeStub(() => ({ body: {} }));

const names = '{ company { customers(first: 2) { nodes { displayName } } } }';
const instance = `{ applicationInstance(${app01}) { name } }`;
const inMessage = (id: string) => ({
  error: { code: 'BadRequest', message: `Feilen har et navn.  CorrelationId:  ${id}.` },
});

const answers: readonly (readonly [string, string, number, Headers, unknown, string])[] = [
  ['of its own header in A', names, 400, { 'request-id': own }, inMessage(third), own],
  [
    'of its own header before that of the correlation',
    instance,
    409,
    { 'x-ms-correlation-request-id': other, 'x-ms-request-id': own },
    {},
    own,
  ],
  [
    'of the correlation before that in the message',
    instance,
    400,
    { 'x-ms-correlation-request-id': other },
    inMessage(third),
    other,
  ],
  ['in the message', names, 400, {}, inMessage(third), third],
  ['of a good answer that is no JSON', names, 200, { 'request-id': own }, '<html>', own],
];

test.for(answers)(
  'the upstream’s own id is in the error and in its log line: %s',
  async ([, query, status, headers, body, id], { scene }) => {
    scene.answer = () => ({ status, headers, body });
    const requestId = `of-${randomUUID()}`;
    const { errors } = await scene.layer.query(query, {}, { 'x-request-id': requestId });

    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.extensions).toMatchObject({ requestId, upstreamRequestId: id });
    const [failed] = scene.layer.linesOf(requestId).filter(({ upstream }) => upstream);
    expect(failed).toMatchObject({ code: errors?.[0]?.extensions.code, upstreamRequestId: id });
  },
);

test.for([
  ['one of 129 characters', { 'request-id': 'a'.repeat(129) }, {}],
  ['markup', { 'request-id': '<b>5</b>' }, {}],
  ['the token it was sent', { 'request-id': testToken }, {}],
  ['a part of an address', { 'x-ms-request-id': '127.0.0.1' }, {}],
  ['a message with something else for an id', {}, inMessage('not-an-id')],
] as const)('for a response with %s the error has no upstream id', async ([, headers, body], { scene }) => {
  scene.answer = () => ({ status: 400, headers, body });
  const { errors } = await scene.layer.query(names);

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_REJECTED' } }]);
  expect(errors?.[0]?.extensions).not.toHaveProperty('upstreamRequestId');
});

const lists = ['customers', 'items', 'employees', 'salesOrders', 'currencies'];
const fiveLists = `{ company { ${lists.map((list) => `${list}(first: 1) { nodes { id } }`).join(' ')} } }`;

test('a part of a batch has the id of its own headers, else that of the whole response, else that of its message', async ({
  scene,
}) => {
  const parts = [
    { headers: { 'Request-Id': other } },
    { headers: { 'request-id': 'no id' } },
    { headers: {}, body: inMessage(third) },
    {},
    { headers: { 'x-ms-correlation-request-id': third } },
  ];
  const responses = parts.map((part, id) => ({ id: String(id), status: 400, body: {}, ...part }));
  const idsWith = async (headers: Headers) => {
    scene.answer = () => ({ headers, body: { responses } });
    const { errors = [] } = await scene.layer.query(fiveLists);
    const of = (list: string) => errors.find(({ path }) => path?.includes(list))?.extensions;
    return lists.map((list) => of(list)?.upstreamRequestId ?? null);
  };

  expect(await idsWith({ 'request-id': own })).toEqual([other, own, own, own, third]);
  expect(await idsWith({})).toEqual([other, null, third, null, third]);
});

/** The ids of ours that calls were sent with, by area. */
const idsSent = (requests: readonly StubRequest[]) =>
  requests.map(({ headers }) => [headers['client-request-id'], headers['x-ms-client-request-id']]);

test('each area receives the request id, where it is a GUID, in the header it knows', async ({ scene }) => {
  const { stub, layer } = scene;
  scene.answer = () => ({ body: { value: [], name: 'a', properties: {} } });
  const before = stub.requests.length;
  for (const query of [names, instance]) await layer.query(query, {}, { 'x-request-id': own });
  const { headers } = await layer.query(names);

  const made = headers.get('x-request-id');
  expect(idsSent(stub.requests.slice(before))).toEqual([
    [own, undefined],
    [undefined, own],
    [made, undefined],
  ]);
});

test('a request whose id is not a GUID is sent under a new one, which its log line contains, too', async ({
  scene,
}) => {
  const { stub, layer } = scene;
  scene.answer = () => ({ body: { value: [] } });
  const before = stub.requests.length;
  for (let time = 0; time < 2; time++) await layer.query(names, {}, { 'x-request-id': 'import-7' });
  const asGuid = randomUUID();
  await layer.query(names, {}, { 'x-request-id': asGuid });

  const [first, second] = idsSent(stub.requests.slice(before)).map(([id]) => id);
  expect([first, second]).toEqual([expect.stringMatching(guid), expect.stringMatching(guid)]);
  expect(first).not.toBe(second);
  const told = (id: string) =>
    layer
      .linesOf(id)
      .filter(({ msg }) => msg === 'operation')
      .map(({ clientRequestId }) => clientRequestId);
  expect(told('import-7')).toEqual([first, second]);
  expect(told(asGuid)).toEqual([undefined]);
});
