/** Who a token is of. Unverified: for display, and to keep apart what the browser remembers of several users. */
import { browserStorage } from './storage.js';

/** @param {string} token @returns {Readonly<Record<string, unknown>>} */
function readClaims(token) {
  try {
    const text = atob(token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '');
    const claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (one) => one.charCodeAt(0))));
    return typeof claims === 'object' && claims !== null ? claims : {};
  } catch {
    return {};
  }
}

/**
 * Identifies the token's owner: issuer and subject, so that the next sign-in gives the same, or else the token itself.
 *
 * @param {string} token
 */
export function getOwner(token) {
  const { iss, sub } = readClaims(token);
  return typeof sub === 'string' ? JSON.stringify([iss, sub]) : token;
}

const nameClaims = ['name', 'preferred_username', 'upn', 'unique_name', 'email', 'sub'];

/** The name of the token's owner; null where it has none. @param {string} token */
export function getUserName(token) {
  const claims = readClaims(token);
  const found = nameClaims
    .map((claim) => claims[claim])
    .find((value) => typeof value === 'string' && value !== '');
  return typeof found === 'string' ? found : null;
}

/**
 * What the browser remembers for the token's owner, under a digest of the owner. Without Web Crypto (an insecure
 * context) it is remembered until the page is left.
 *
 * @param {string} token
 */
export async function openMemory(token) {
  const prefix = await digest(getOwner(token));
  const storage = prefix === null ? new Map() : browserStorage;
  return {
    /** @param {string} name @returns {unknown} null when there is none, or when it is malformed */
    get(name) {
      try {
        return JSON.parse(storage.get(`${prefix}.${name}`) ?? 'null');
      } catch {
        return null;
      }
    },
    /** @param {string} name @param {unknown} value */
    set: (name, value) => storage.set(`${prefix}.${name}`, JSON.stringify(value)),
  };
}

/** @typedef {Awaited<ReturnType<typeof openMemory>>} Memory */

/** @param {string} owner */
async function digest(owner) {
  if (!globalThis.crypto?.subtle) return null;
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`console ${owner}`));
  const hex = [...new Uint8Array(bytes).slice(0, 8)].map((byte) => byte.toString(16).padStart(2, '0'));
  return `tributary.console.${hex.join('')}`;
}
