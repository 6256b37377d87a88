import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';

interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** The keys that tokens are signed with, by ES256. */
export interface SigningKeys {
  /** A token that holds these claims and the id of its key. */
  sign(claims: JWTPayload): Promise<string>;
  /** The public keys (RFC 7517), the one in use first. */
  published(): { readonly keys: readonly Readonly<Record<string, unknown>>[] };
  /** Signs with a new key from now on; the former ones stay published. */
  rotate(): void;
  /** Publishes the key in use alone. */
  forget(): void;
  /** Goes back to the key of the start, and to it alone. */
  clear(): void;
}

const alg = 'ES256';

export function createSigningKeys(): SigningKeys {
  const first = createKey();
  let [inUse, former]: [SigningKey, SigningKey[]] = [first, []];

  return {
    sign: (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg, typ: 'JWT', kid: inUse.id }).sign(inUse.privateKey),
    published: () => ({
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
    forget() {
      former = [];
    },
    clear() {
      [inUse, former] = [first, []];
    },
  };
}

function createKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { id: randomBytes(12).toString('base64url'), privateKey, publicKey };
}
