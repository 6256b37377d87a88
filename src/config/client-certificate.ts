import { createSecureContext } from 'node:tls';
import type { ConfigMistake } from './config-error.ts';
import type { Settings } from './settings.ts';

/** Checks that the client certificate and its key can be used together. */
export function findCertificateMistake({
  UPSTREAM_CLIENT_CERT_FILE: cert,
  UPSTREAM_CLIENT_KEY_FILE: key,
}: Settings): ConfigMistake | null {
  if (cert === undefined || key === undefined) return null;
  try {
    createSecureContext({ cert, key });
    return null;
  } catch (error) {
    // OpenSSL's reason, such as `key values mismatch`; neither file is quoted.
    const { reason = 'unknown' } = error as { reason?: string };
    return {
      variable: 'UPSTREAM_CLIENT_KEY_FILE',
      message: `UPSTREAM_CLIENT_KEY_FILE cannot be used with UPSTREAM_CLIENT_CERT_FILE: ${reason}. Expected the private key of the certificate in PEM, not encrypted.`,
    };
  }
}
