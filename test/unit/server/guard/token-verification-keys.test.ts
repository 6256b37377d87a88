import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { InputError } from '../../../../src/errors.ts';
import { createTokenVerifier } from '../../../../src/server/guard/token-verification.ts';
import { oddOnes } from '../../../support/upstreams/odd-shapes.ts';

test('whatever JSON an issuer publishes, a token is verified by a valid key or rejected as UNAUTHENTICATED', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const header = { alg: 'ES256', kid: 'first' };
  const token = await new SignJWT({ sub: 'ada', iss: 'https://issuer.example', aud: 'us' })
    .setProtectedHeader(header)
    .setExpirationTime('10m')
    .sign(privateKey);
  const key = { ...(await exportJWK(publicKey)), ...header, use: 'sig', key_ops: ['verify'], x5c: ['x'] };
  const outcomes = new Set<string>();
  for (const { what, text } of oddOnes({ keys: [key, { kty: 'RSA', n: 'x', e: 'AQAB' }] })) {
    const verifier = createTokenVerifier({
      fetch,
      issuer: 'https://issuer.example',
      audience: 'us',
      jwksUrl: `data:application/json,${encodeURIComponent(text)}`,
      log: pino({ level: 'silent' }),
    });
    const outcome = await verifier.verify({ business: token, management: null }).then(
      ({ subject }) => subject,
      (error: unknown) => (error instanceof InputError ? error.code : `${what}: ${error}`),
    );
    outcomes.add(outcome);
  }
  expect([...outcomes].sort()).toEqual(['UNAUTHENTICATED', 'ada']);
});
