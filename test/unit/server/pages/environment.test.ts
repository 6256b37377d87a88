import { expect, test } from 'vitest';
import { describeEnvironment } from '../../../../src/server/pages/environment.ts';

test('upstreams are named by host and path, without users and queries', () => {
  const environment = describeEnvironment({
    business: 'https://api.example/v2.0/contoso/production/api/',
    management: 'https://user:secret@management.example:8443/?key=secret#secret',
  });

  expect(environment).toEqual([
    { areas: 'Instances and health', address: 'management.example:8443' },
    { areas: 'Business records', address: 'api.example/v2.0/contoso/production/api' },
  ]);
});

test('the sandbox is one environment, or what a real upstream leaves to it', () => {
  expect(describeEnvironment({ business: 'sandbox', management: 'sandbox' })).toEqual([
    { areas: 'Environment', address: 'Sandbox' },
  ]);
  expect(describeEnvironment({ business: null, management: 'sandbox' })).toEqual([
    { areas: 'Instances and health', address: 'Sandbox' },
  ]);
});
