import { createClient } from 'graphql-ws';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startIssuer } from '../../support/issuer.ts';
import { startTestLayer } from '../../support/layer.ts';
import { actionInput, place } from '../../support/operations.ts';
import { startTestSandbox } from '../../support/sandbox.ts';

async function start() {
  const [issuer, sandbox] = await Promise.all([startIssuer(), startTestSandbox()]);
  const layer = await startTestLayer(sandbox.url, issuer.settings);
  onTestFinished(async () => {
    await layer.stop();
    await sandbox.stop();
    issuer.stop();
  });
  const authorization = `Bearer ${await issuer.token('ada', 'nothing')}`;
  return { layer, sandbox, authorization };
}

test('where areas B and C have no header of their own, no WebSocket can bypass verification with a token', async () => {
  const { layer, sandbox, authorization } = await start();
  const client = createClient({
    url: `${layer.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization, managementAuthorization: 'Bearer nobody-verified-this' },
    retryAttempts: 0,
  });
  onTestFinished(() => void client.dispose());
  const query = 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }';
  const { value } = await client.iterate({ query }).next();
  expect(value?.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  expect(await sandbox.calls()).toEqual([]);
});

test('a mutation that areas B and C reject by scope is rejected as a whole', async () => {
  const { layer, sandbox, authorization } = await start();
  const input = actionInput({ ...place, applicationInstanceName: 'app01' });
  const { data } = await layer.query(
    `mutation ($input: StopApplicationInstanceInput!) {
      createCustomer(input: {displayName: "A"}) { userErrors { code } }
      stopApplicationInstance(input: $input) { userErrors { code } }
    }`,
    { input },
    { authorization },
  );
  expect(data).toBeUndefined();
  expect(await sandbox.calls()).toEqual([]);
});

test.for([
  '{ managementSubscriptions { totalCount } }',
  '{ healthEvent(trackingId: "SI_2-NOW") { impactedResources { totalCount } } }',
  `{ virtualInstances(subscriptionId: "${place.subscriptionId}") { nodes { availability { state } healthEvents { totalCount } } } }`,
])('without the scope of areas B and C, nothing is sent for %s', async (query) => {
  const { layer, sandbox, authorization } = await start();

  const { errors } = await layer.query(query, {}, { authorization });

  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  expect(await sandbox.calls()).toEqual([]);
});
