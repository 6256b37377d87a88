import { expect, test } from 'vitest';
import { createFindProxy } from '../../../../src/http/wire/proxy.ts';

const proxies = { httpsProxy: 'http://secure.example:3128', httpProxy: 'http://plain.example' };

test.for([
  ['https://business.example', 'http://secure.example:3128'],
  ['http://business.example', 'http://plain.example'],
  ['https://127.0.0.1:4100', undefined],
  ['http://localhost:4100', undefined],
  ['http://sandbox.localhost', undefined],
  ['https://[::1]:4100', undefined],
] as const)('%s is reached through %s', ([url, origin]) => {
  expect(createFindProxy({ ...proxies, noProxy: undefined })(url)?.origin).toBe(origin);
});

test.for([
  ['*', 'business.example', true],
  ['business.example', 'business.example', true],
  ['business.example', 'eu.business.example', true],
  ['.business.example', 'eu.business.example', true],
  ['business.example', 'mybusiness.example', false],
  ['BUSINESS.example', 'Business.Example', true],
  ['business.example', 'business.example.', true],
  ['business.example:8443', 'business.example', false],
  ['business.example:8443', 'business.example:8443', true],
  ['10.0.0.7', '10.0.0.7', true],
  ['10.0.0.0/8', '10.1.2.3', true],
  ['10.0.0.0/8', '11.1.2.3', false],
  ['', 'business.example', false],
] as const)('with NO_PROXY=%s, that %s is reached directly is %s', ([noProxy, host, isDirect]) => {
  expect(createFindProxy({ ...proxies, noProxy })(`https://${host}`) === null).toBe(isDirect);
});

test.for([
  ['http://proxy.example', null],
  ['http://user:p%20w@proxy.example', `Basic ${Buffer.from('user:p w').toString('base64')}`],
] as const)('the proxy %s is sent the authorization %s', ([httpsProxy, authorization]) => {
  const findProxy = createFindProxy({ httpsProxy, httpProxy: undefined, noProxy: undefined });

  expect(findProxy('https://business.example')).toEqual({ origin: 'http://proxy.example', authorization });
  expect(findProxy('http://business.example')).toBeNull();
});
