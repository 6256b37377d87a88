import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { listWarnings } from '../../../src/config/warnings.ts';

const verified = {
  JWT_ISSUER: 'https://issuer.example',
  JWT_AUDIENCE: 'a',
  JWT_JWKS_URL: 'https://a.example',
};
const warningsOf = (env: Readonly<Record<string, string>>) =>
  listWarnings(readConfig({ OPERATION_SECRETS: 'a secret of the tests', ...env }, () => ''));
const azure = { MANAGEMENT_URL: 'https://management.azure.com' };
const online = { BUSINESS_URL: 'https://api.businesscentral.dynamics.com/v2.0/contoso.example/production' };

test.each<[object, string[]]>([
  [{ OPERATION_SECRETS: '' }, ['OPERATION_SECRETS is not set']],
  [{ HOST: '0.0.0.0' }, ['HOST is 0.0.0.0 and callers are not verified']],
  [{ BUSINESS_URL: 'https://a.example/api/v2.0/?tenant=b' }, ['BUSINESS_URL ends in the path of an API']],
  [online, ['set BUSINESS_DIALECT=dynamics']],
  [azure, ['set INSTANCES_TYPE', 'set HEALTH_PROVIDER']],
  [{ ...azure, INSTANCES_TYPE: 'Own.Workloads/instances@2023-04-01' }, ['set HEALTH_PROVIDER']],
  [{ ...azure, HEALTH_PROVIDER: 'Own.Health@2025-05-01' }, ['set INSTANCES_TYPE']],
])('%j is warned of', (env, warnings) => {
  expect(warningsOf(env as Record<string, string>)).toEqual(
    warnings.map((text) => expect.stringContaining(text)),
  );
});

test('what is meant is not warned of', () => {
  expect(warningsOf({ HOST: '0.0.0.0', ...verified })).toEqual([]);
  expect(warningsOf({ ...online, BUSINESS_DIALECT: 'dynamics' })).toEqual([]);
  expect(warningsOf({ BUSINESS_URL: 'https://a.example/api', MANAGEMENT_URL: 'https://b.example' })).toEqual(
    [],
  );
});
