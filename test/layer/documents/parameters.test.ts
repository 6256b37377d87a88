import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { startIssuer } from '../../support/issuer.ts';
import { startTestLayer } from '../../support/layer.ts';
import { startTestSandbox } from '../../support/sandbox.ts';

const get = async (url: string, target: string, authorization = '') => {
  const { port } = new URL(url);
  const headers = { authorization, 'apollo-require-preflight': '1' };
  const sent = request({ host: '127.0.0.1', port, path: target, headers }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: JSON.parse(await text(answer)) };
};

test('a GET that two parsers decode differently reveals no field names without a token, and executes no mutation', async () => {
  const [issuer, sandbox] = await Promise.all([startIssuer(), startTestSandbox()]);
  const layer = await startTestLayer(sandbox.url, issuer.settings);
  onTestFinished(async () => {
    await layer.stop();
    await sandbox.stop();
    issuer.stop();
  });
  const unseen = await get(layer.url, '/graphql?query={compani}&variables=%7B"a":"%ff"%7D');
  expect(JSON.stringify(unseen.body)).not.toContain('companies');

  const change = 'mutation+M{createCustomer(input:{displayName:"A"}){userErrors{code}}}';
  const hidden = `query+Q{healthEvent(trackingId:"%22){title}}query+M{__typename}%23%FF"){title}}${change}`;
  const token = `Bearer ${await issuer.token('ada')}`;
  await get(layer.url, `/graphql?query=${hidden}&operationName=M`, token);
  expect(await sandbox.calls()).toEqual([]);
});

test.each(['constructor', '__proto__', 'x'])('the default of a variable named %s is used', async (name) => {
  const sandbox = await startTestSandbox();
  const layer = await startTestLayer(sandbox.url);
  onTestFinished(async () => {
    await layer.stop();
    await sandbox.stop();
  });
  const page = `first: $${name}`;
  const { errors } = await layer.query(
    `query ($${name}: Int = 1000) { company { customers(${page}) { nodes { salesOrders(${page}) { nodes { number } } } } } }`,
  );
  expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX' } }]);
});
