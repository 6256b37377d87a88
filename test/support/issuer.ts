import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';
import { startStub } from './stub.ts';

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

const issuer = 'https://issuer.example';
const audience = 'api://tributary';

/** Who issues tokens to the callers of a test, and publishes the key that proves them. */
export async function startIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const key = { ...(await exportJWK(publicKey)), kid: 'first', alg: 'ES256' };
  const { url, stop } = await startStub(() => ({ body: { keys: [key] } }));
  let issued = 0;
  const sign = (subject: string, claims: JWTPayload, endsInSeconds: number) => {
    issued += 1;
    return new SignJWT({ ...claims, jti: String(issued) })
      .setProtectedHeader({ alg: 'ES256', kid: 'first' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(subject)
      .setExpirationTime(Math.floor(Date.now() / 1_000) + endsInSeconds)
      .sign(privateKey);
  };
  return {
    settings: { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: `${url}/keys` },
    stop,
    /** A token for a caller; scopes by space, its end in seconds from now. */
    token: (subject: string, scopes = 'user_impersonation', endsInSeconds = 3_600) =>
      sign(subject, { scp: scopes }, endsInSeconds),
    /** One for a service that nobody signed in to: it has roles and no scopes. */
    serviceToken: (subject: string, roles: readonly string[]) =>
      sign(subject, { roles, idtyp: 'app' }, 3_600),
  };
}

/** An issuer that stops with the test. */
export async function startIssuerForTest() {
  const issuer = await startIssuer();
  onTestFinished(() => issuer.stop());
  return issuer;
}
