import { expect, onTestFinished, test } from 'vitest';
import { startIssuer } from '../../support/issuer.ts';
import { startTestLayer } from '../../support/layer.ts';
import { place } from '../../support/operations.ts';
import { startTestSandbox } from '../../support/sandbox.ts';

const instance = Object.entries({ ...place, applicationInstanceName: 'app01' })
  .map(([name, value]) => `${name}: "${value}"`)
  .join(' ');
const reading = `{
  healthEvent(trackingId: "SA_5-XYZ") { summary }
  healthEvents(first: 1) { nodes { title } }
  applicationInstance(${instance}) { status }
}`;
const stopping = `mutation { stopApplicationInstance(input: { instance: { names: { ${instance} } } }) { operation { id state } userErrors { code } } }`;
const writing =
  'mutation { createCustomer(input: { displayName: "A" }) { customer { displayName } userErrors { code } } }';

async function start(settings: Readonly<Record<string, string>>) {
  const [issuer, sandbox] = await Promise.all([startIssuer(), startTestSandbox()]);
  const layer = await startTestLayer(sandbox.url, { ...issuer.settings, ...settings });
  onTestFinished(async () => {
    await layer.stop();
    await sandbox.stop();
    issuer.stop();
  });
  const ask = async (query: string, token: string) => {
    await sandbox.forgetCalls();
    const { data, errors = [] } = await layer.query(query, {}, { authorization: `Bearer ${token}` });
    const codes = [...new Set(errors.map(({ extensions }) => extensions.code))];
    return { data, codes, calls: (await sandbox.calls()).length };
  };
  return { issuer, layer, ask };
}

test('with MANAGEMENT_SCOPES empty a service without scopes and roles reads, stops and subscribes in areas B and C', async () => {
  const { issuer, layer, ask } = await start({ MANAGEMENT_SCOPES: '' });
  const token = await issuer.serviceToken('a service', []);

  // The event plainly and in full, the pages of the list, the instance.
  const read = await ask(reading, token);
  const stopped = await ask(stopping, token);
  const events = layer.watch(
    'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }',
    {},
    token,
  );
  const { value } = await events[Symbol.asyncIterator]().next();

  expect(read.codes).toEqual([]);
  expect(read.data.healthEvent.summary).toMatch(/\w/);
  expect(read.calls).toBeGreaterThanOrEqual(4);
  expect(stopped).toMatchObject({
    codes: [],
    calls: 1,
    data: { stopApplicationInstance: { operation: { state: 'RUNNING' }, userErrors: [] } },
  });
  expect(value.errors).toBeUndefined();
});

test.for([
  ['WRITE_SCOPES', 'Records.Write', [writing]],
  ['OPERATE_SCOPES', 'Instances.Operate', [stopping]],
  ['MANAGEMENT_SCOPES', 'Management.All', [reading, stopping]],
] as const)(
  'the requirement of %s can be met by a role of a service as well as a scope',
  async ([setting, name, queries]) => {
    const { issuer, ask } = await start({ MANAGEMENT_SCOPES: '', [setting]: `${name} And.More` });
    const byRoles = await issuer.serviceToken('a service', ['Other', 'And.More', name]);
    const byScopes = await issuer.token('ada', `${name} And.More`);
    const lacking = await issuer.serviceToken('another service', ['And.More']);

    for (const query of queries) {
      expect((await ask(query, byRoles)).codes).toEqual([]);
      expect((await ask(query, byScopes)).codes).toEqual([]);
      expect(await ask(query, lacking)).toMatchObject({ codes: ['FORBIDDEN'], calls: 0 });
    }
  },
);
