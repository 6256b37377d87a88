import { expect, test } from 'vitest';
import { createClientStates } from '../../../src/changes/upstream-subscriptions.ts';
import { createCursorCodec } from '../../../src/graph/cursor.ts';
import { createPrincipalHasher } from '../../../src/http/auth/bearer.ts';
import { createOperationHandles } from '../../../src/instances/operations/operation-handle.ts';

// Made by an earlier version. Clients, upstreams and other replicas keep such texts: each has to stay valid.
const secrets = ['first secret of the replicas, 32+', 'second secret'] as const;
const [first, second] = secrets;
const handle =
  'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiblU2UEdsMmEifQ..g38YpBe2sOXll-YG.MsUiPQPU6o-VFqnKkatBivBfqljfoh6C6I7hKcQD0zBFBh1wNSspoC0DwaVwAWHy0LX1Pe2WrbPrQ3tMmnzb6AzYwixpgHntKlGfQMIC846y4Dxf9FgdA88MPKc.UqSMd2T2g_B22zBcTd8dsA';
const handleOfSecond =
  'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiRkFiU2tHcGgifQ..B_F4BC1Z2fDyGvQA.y_dBJyp8JozOVMsp3UKT4gVUKlepFhnJiAlMaLXE9Fj_0NJ3a5XAFPKxDnbgw6M.oXHNhti82ZVJeij0cEC_zg';
const cursor = 'WzcsIiRza2lwdG9rZW49YSJd.pexfaRLo9OyMDANZeUnYKt';

test('a handle of an earlier version opens, whichever of the secrets has encrypted it', async () => {
  const handles = createOperationHandles(secrets);

  expect(await handles.open(handle)).toEqual({
    at: { path: '/status/1', isResult: false },
    sentAt: 1_700_000_000_000,
    last: null,
    owner: null,
  });
  expect(await handles.open(handleOfSecond)).toEqual({ at: null, sentAt: 1, last: null, owner: null });
  await expect(createOperationHandles([second]).open(handle)).rejects.toThrow('`id` is not the handle');
});

test('a new handle names its secret as earlier versions do', async () => {
  const [header] = (await createOperationHandles(secrets).seal({})).split('.');

  expect(header).toBe(handle.split('.')[0]);
});

test('replicas of an earlier version share the topics of operations', () => {
  const topic = createOperationHandles(secrets).topicFor('principal', '/status/1');

  expect(topic).toBe('-4PdEKEeq9rfjzs6bGo6TtQEXt42V9S0l24kO_v-hDY');
});

test('a cursor is the one of an earlier version, with an authentication code of 22 characters', () => {
  const position = { page: '$skiptoken=a', offset: 7 };

  expect(createCursorCodec(secrets).encode('scope', position)).toBe(cursor);
  expect(createCursorCodec([second, first]).decode('scope', cursor)).toEqual(position);
});

test('the clientState of a webhook subscription is the one of an earlier version', () => {
  const target = { companyId: '0e0f0986-928f-40d7-8834-d1910255a423', type: 'CUSTOMER' } as const;
  const address = 'https://example.test/webhooks/records';
  const clientState = 'FxwsrlN55c33S9LPu7e2gnlOu7TFs4UdF3eAj7rOWlE';

  expect(createClientStates(secrets, address).derive(target)).toBe(clientState);
  expect(createClientStates([second, first], address).isGenuine(target, clientState)).toBe(true);
  expect(createClientStates([second], address).isGenuine(target, clientState)).toBe(false);
});

test('a principal has the name that earlier versions give it', () => {
  expect(createPrincipalHasher(first)('token', 'abc')).toBe('k8_ptW8TmlYvOKpOUr0PbMoN4Q_hrgzWbwvJy-hfvF8');
});
