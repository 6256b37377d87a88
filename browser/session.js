/**
 * The user's token. It is stored in this tab's sessionStorage only, so no other tab and no later visit can read it.
 *
 * @typedef {{ token: string, endsAt: number | null, isRefused: boolean, claims?: string }} Session
 * @typedef {'signedOut' | 'signedIn' | 'refused' | 'ended'} SessionState
 */

import { tabStorage } from './storage.js';

const key = 'tributary.session';
const ended = 'ended';
const maxTimerMs = 2 ** 31 - 1;

const changes = new EventTarget();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** The token to send; null when there is none or it has expired. */
export function currentToken() {
  const session = read();
  return session === null || session === ended ? null : session.token;
}

/** @returns {SessionState} */
export function sessionState() {
  const session = read();
  if (session === null) return 'signedOut';
  if (session === ended) return 'ended';
  return session.isRefused ? 'refused' : 'signedIn';
}

/**
 * @param {string} token
 * @param {number | undefined} expiresIn in seconds
 */
export function signedIn(token, expiresIn) {
  write({ token, endsAt: expiresIn === undefined ? null : Date.now() + expiresIn * 1_000, isRefused: false });
}

/** Removes the token here. It is not revoked: it stays valid until it expires. */
export function signOut() {
  write(null);
}

/**
 * Marks a token as refused. It is still sent: a token refused by one area may be accepted by another.
 *
 * @param {string} token
 * @param {unknown} errors the GraphQL errors, one of which may say what the next token has to claim
 */
export function refused(token, errors) {
  const session = read();
  if (session === null || session === ended || session.token !== token) return;
  const claims = Array.isArray(errors)
    ? errors.map((error) => error?.extensions?.claims).find((one) => typeof one === 'string')
    : undefined;
  write({ ...session, isRefused: true, ...(claims !== undefined && { claims }) });
}

/** What the next token has to claim, as the error of the refused one says it; undefined where it does not. */
export function requiredClaims() {
  const session = read();
  return session === null || session === ended ? undefined : session.claims;
}

/**
 * Calls the listener now and whenever the session state may have changed.
 *
 * @param {() => void} listener
 */
export function watchSession(listener) {
  changes.addEventListener('change', listener);
  // The page may return from the back/forward cache, or wake up after the token has expired.
  addEventListener('pageshow', listener);
  document.addEventListener('visibilitychange', listener);
  startTimer();
  listener();
}

/** @returns {Session | typeof ended | null} */
function read() {
  const text = tabStorage.get(key);
  /** @type {Session | typeof ended | null} */
  const session = text === null ? null : JSON.parse(text);
  if (session === null || session === ended) return session;
  if (session.endsAt === null || session.endsAt > Date.now()) return session;
  tabStorage.set(key, JSON.stringify(ended));
  return ended;
}

/** @param {Session | null} session */
function write(session) {
  tabStorage.set(key, session && JSON.stringify(session));
  notify();
}

function notify() {
  startTimer();
  changes.dispatchEvent(new Event('change'));
}

function startTimer() {
  clearTimeout(timer);
  const session = read();
  if (session === null || session === ended || session.endsAt === null) return;
  timer = setTimeout(notify, Math.min(session.endsAt - Date.now(), maxTimerMs));
}
