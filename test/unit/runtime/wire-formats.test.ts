import { expect, test } from 'vitest';
import { createClientStates } from '../../../src/changes/upstream-subscriptions.ts';
import { createCursorCodec } from '../../../src/graph/cursor.ts';
import { createPrincipalHasher } from '../../../src/http/auth/bearer.ts';
import { createOperationHandles } from '../../../src/instances/operations/operation-handle.ts';

// Made by an earlier version. Clients, upstreams and other replicas keep such texts: each has to stay valid.
const secrets = ['first secret of the replicas, 32+', 'second secret'] as const;
const [first, second] = secrets;
const handle = 'vlGy5bPfcFFgsAIBWTqX15O9WHPkKCazxzYevDNW77yqWMciLFi3jrFO4iVK6ankg6Vui7dYGU5rDaXbnSOuyv_qCx0';
const handleOfSecond = '3sw_PJHgw1lY-hW7TNbZluFWouDrr4QUxfp1Ct_ZDcdi2JS1';
const cursor = 'WzcsIiRza2lwdG9rZW49YSJd.pexfaRLo9OyMDANZeUnYKt';

test('a handle of an earlier version opens, whichever of the secrets has encrypted it', () => {
  const handles = createOperationHandles(secrets);

  expect(handles.open(handle)).toEqual({
    at: {
      path: '/subscriptions/s/providers/v/locations/l/operationStatuses/1?api-version=2023-04-01',
      isResult: false,
    },
    sentAt: 1_700_000_000_000,
    last: null,
    owner: null,
    action: 'stop',
    instance: {
      subscriptionId: 's',
      resourceGroupName: 'g',
      virtualInstanceName: 'v',
      applicationInstanceName: 'a',
    },
    body: '{"softStopTimeoutSeconds":0}',
  });
  expect(handles.open(handleOfSecond)).toEqual({ at: null, sentAt: 1, last: null, owner: null });
  expect(() => createOperationHandles([second]).open(handle)).toThrow('`id` is not the handle');
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
