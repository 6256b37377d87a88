import { expect, onTestFinished, test } from 'vitest';
import { startIssuer } from '../../support/issuer.ts';
import { startTestLayer } from '../../support/layer.ts';
import { actionInput, place, stop } from '../../support/operations.ts';
import { startTestSandbox } from '../../support/sandbox.ts';

const input = actionInput({ ...place, applicationInstanceName: 'app01' });

async function start() {
  const issuer = await startIssuer();
  const sandbox = await startTestSandbox();
  const granted = {
    ...issuer.settings,
    MANAGEMENT_AUTH: 'client-credentials',
    MANAGEMENT_TOKEN_URL: `${sandbox.url}/common/oauth2/token`,
    MANAGEMENT_CLIENT_ID: 'tributary',
    MANAGEMENT_CLIENT_SECRET: 'sandbox-secret',
    MANAGEMENT_SCOPE: 'api://management/.default',
  };
  const layerWith = async (settings: Readonly<Record<string, string>>) => {
    const layer = await startTestLayer(sandbox.url, settings);
    onTestFinished(() => layer.stop());
    return layer;
  };
  onTestFinished(async () => {
    await sandbox.stop();
    issuer.stop();
  });
  return { issuer, sandbox, granted, layerWith };
}

test('a handle without an owner opens for no caller where the upstream sees all callers as one', async () => {
  const { issuer, granted, layerWith } = await start();
  const authorization = `Bearer ${await issuer.token('ada')}`;
  const started = await (await layerWith(issuer.settings)).query(stop, { input }, { authorization });
  const { id } = started.data.stopApplicationInstance.operation;

  const { errors } = await (await layerWith(granted)).query(
    'query ($id: ID!) { instanceOperation(id: $id) { state } }',
    { id },
    { authorization },
  );

  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
});

test('where a service token is used, a token in its own header does not replace the scope', async () => {
  const { issuer, sandbox, granted, layerWith } = await start();
  const layer = await layerWith({ ...granted, MANAGEMENT_TOKEN_HEADER: 'x-management' });
  const ask = async (claims: string) =>
    layer.query(
      '{ healthEvents(first: 1) { nodes { title } } }',
      {},
      { authorization: `Bearer ${await issuer.token('ada', claims)}`, 'x-management': 'Bearer anything' },
    );

  expect((await ask('none')).errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  expect(await sandbox.calls()).toEqual([]);
  expect((await ask('user_impersonation')).errors).toBeUndefined();
});
