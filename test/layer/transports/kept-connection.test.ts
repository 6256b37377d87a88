import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { startBeforeStub } from '../../support/layer.ts';

const managementHeader = 'x-management-token';
const query = '{ company { name } healthEvent(trackingId: "SI_1-QRT") { title } }';

// What is derived from tokens is kept for the next request with the same ones.
test('each request on a shared connection is executed with its own tokens', async ({ onTestFinished }) => {
  const sent: string[] = [];
  const { layer } = await startBeforeStub(
    ({ target, headers }) => {
      sent.push(`${target.startsWith('/api') ? 'business' : 'health'} ${headers.authorization}`);
      return { body: { id: '00000000-0000-4000-8000-000000000001', name: 'SI_1-QRT', properties: {} } };
    },
    { MANAGEMENT_TOKEN_HEADER: managementHeader },
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ports = new Set<number | undefined>();
  const tokensSent = async (business: string, management: string) => {
    sent.length = 0;
    const asked = request(`${layer.url}/graphql`, {
      agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${business}`,
        [managementHeader]: `Bearer ${management}`,
      },
    });
    asked.end(JSON.stringify({ query }));
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    ports.add(response.socket.localPort);
    response.resume();
    await once(response, 'end');
    return [...sent].sort();
  };
  const expected = (business: string, management: string) => [
    `business Bearer ${business}`,
    `health Bearer ${management}`,
  ];

  for (const [business, management] of [
    ['ada-a', 'ada-b'],
    ['ada-a', 'grace-b'],
    ['grace-a', 'grace-b'],
    ['ada-a', 'ada-b'],
  ] as const)
    expect(await tokensSent(business, management)).toEqual(expected(business, management));
  expect(ports.size).toBe(1);
});
