import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';

interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** The keys that sign tokens, with ES256. */
export interface SigningKeys {
  /** Signs a token with these claims and the id of the key. */
  sign(claims: JWTPayload): Promise<string>;
  /** The public keys as a JWK Set (RFC 7517), the current key first. */
  jwks(): { readonly keys: readonly Readonly<Record<string, unknown>>[] };
  /** Replaces the current key. Previous keys remain published. */
  rotate(): void;
  /** Stops publishing previous keys. */
  forgetPrevious(): void;
  /** Restores the key of the start and removes all others. */
  reset(): void;
}

const alg = 'ES256';

export function createSigningKeys(): SigningKeys {
  const first = createKey();
  let [inUse, former]: [SigningKey, SigningKey[]] = [first, []];

  return {
    sign: (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg, typ: 'JWT', kid: inUse.id }).sign(inUse.privateKey),
    jwks: () => ({
      keys: [inUse, ...former].map(({ id, publicKey }) => ({
        ...publicKey.export({ format: 'jwk' }),
        kid: id,
        use: 'sig',
        alg,
      })),
    }),
    rotate() {
      former = [inUse, ...former];
      inUse = createKey();
    },
    forgetPrevious() {
      former = [];
    },
    reset() {
      [inUse, former] = [first, []];
    },
  };
}

function createKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { id: randomBytes(12).toString('base64url'), privateKey, publicKey };
}
