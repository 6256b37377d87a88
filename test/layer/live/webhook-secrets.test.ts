import { Redis } from 'ioredis';
import { type Logger, pino } from 'pino';
import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { startTributary } from '../../../src/app/compose.ts';
import { readTestConfig } from '../../support/constants.ts';
import { startTestLayer, testToken } from '../../support/layer.ts';
import { hasRedis, startTestRedis } from '../../support/redis.ts';
import { startStub } from '../../support/stub.ts';
import {
  change,
  pathOf,
  startWatching,
  steer,
  subscribed,
  webhookSettings,
  webhookTest,
} from '../../support/webhooks.ts';

const test = webhookTest();
const { customerId } = sandboxExamples;

function createLog(): { readonly log: Logger; text(): string } {
  let text = '';
  const write = (line: string) => {
    text += line;
  };
  return { log: pino({ level: 'debug' }, { write }), text: () => text };
}

test('the log reports forged notifications, without their contents', async ({ sandbox }) => {
  const { log, text } = createLog();
  const settings = await webhookSettings(sandbox);
  const config = readTestConfig({ ...settings, BUSINESS_URL: sandbox.url }, () => '');
  const layer = await startTributary(config, null, log);
  const value = [1, 2, 3].map((number) => ({
    subscriptionId: 'forged-id',
    clientState: `forged-word-${number}`,
    resource: pathOf('customers', customerId),
    changeType: 'updated',
    lastModifiedDateTime: new Date().toISOString(),
  }));
  const body = JSON.stringify({ value: ['unreadable-text', ...value] });
  await fetch(`${layer.url}/webhooks/records`, { method: 'POST', body });
  await fetch(`${layer.url}/webhooks/records`, { method: 'POST', body: '{"forged-body"' });
  await layer.stop();

  expect(text()).toContain('"isForged":true,"unreadable":1');
  expect(text()).not.toMatch(/forged-|unreadable-text/);
  expect(text()).not.toContain(customerId);
});

test('the body of an error response from an upstream or a token endpoint reaches no log and no subscriber', async ({
  sandbox,
}) => {
  const { log, text } = createLog();
  const stub = await startStub(({ target, body, headers }) => ({
    status: 400,
    body: { error: { code: 'No', message: `${body} ${headers.authorization}` }, echo: target },
  }));
  for (const token of [`${stub.url}/token`, (await webhookSettings(sandbox)).BUSINESS_TOKEN_URL ?? '']) {
    const settings = await webhookSettings(sandbox);
    const env = { ...settings, BUSINESS_TOKEN_URL: token, BUSINESS_URL: stub.url };
    const layer = await startTributary(
      readTestConfig(env, () => ''),
      null,
      log,
    );
    const response = await fetch(`${layer.url}/graphql/stream`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: 'Bearer a-watcher',
      },
      body: JSON.stringify({
        query: `subscription { recordChanged(companyId: "${sandboxCompanyId}", types: [ITEM]) { id } }`,
      }),
    });
    const told = await response.text();
    await expect.poll(text).toContain('Subscribing to changes');
    await layer.stop();

    expect(told).not.toMatch(/sandbox-secret|tributary~|eyJhbGci/);
  }
  stub.stop();

  expect(stub.requests.some(({ body }) => body.includes('sandbox-secret'))).toBe(true);
  expect(stub.requests.some(({ body }) => body.includes('clientState'))).toBe(false);
  expect(text()).not.toMatch(/sandbox-secret|tributary~|eyJhbGci|clientState|a-watcher/);
});

test.skipIf(!hasRedis)(
  'Redis holds no token and no client state of a subscription, and its keys name no company',
  async ({ sandbox }) => {
    const redis = await startTestRedis();
    const settings = await webhookSettings(sandbox);
    const layer = await startTestLayer(sandbox.url, { ...settings, REDIS_URL: redis.url });
    const watcher = await startWatching(layer, sandbox);
    const [{ clientState, subscriptionId }] = await subscribed(sandbox);
    await change(sandbox, 'customers', customerId, { city: 'Oslo' });
    await watcher.during(300);
    const client = new Redis(redis.url);
    const keys = await client.keys('*');
    const values = await Promise.all(keys.map((key) => client.get(key)));
    client.disconnect();
    await steer(sandbox, { deliver: 'now' });
    await watcher.leave();
    await layer.stop();
    await redis.kill();

    expect(keys.length).toBeGreaterThan(0);
    expect(keys.join()).not.toContain(sandboxCompanyId);
    for (const secret of [clientState, subscriptionId, 'tributary~', 'eyJhbGci', 'sandbox-secret', testToken])
      expect(`${keys} ${values}`).not.toContain(secret);
  },
);
