/**
 * The token of who signed in. It is in this tab's sessionStorage and nowhere else: it ends with the tab,
 * and no other tab, nor a later visit, finds it.
 *
 * @typedef {{ token: string, endsAt: number | null, isRefused: boolean }} Session
 * @typedef {'signedOut' | 'signedIn' | 'refused' | 'ended'} Standing
 */

const key = 'tributary.session';
const ended = 'ended';
const longestTimerMs = 2 ** 31 - 1;

const changes = new EventTarget();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** The token to send, while there is one that has not ended. */
export function currentToken() {
  const session = read();
  return session === null || session === ended ? null : session.token;
}

/** @returns {Standing} */
export function standing() {
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

/** Forgets the token here; where it was given out it stays good until it ends. */
export function signOut() {
  write(null);
}

/**
 * Says that a token was sent and refused. It is still sent: what one area refuses, another may take.
 *
 * @param {string} token
 */
export function refused(token) {
  const session = read();
  if (session === null || session === ended || session.token !== token) return;
  write({ ...session, isRefused: true });
}

/**
 * Calls the listener now, and whenever the standing may be another one.
 *
 * @param {() => void} listener
 */
export function watchStanding(listener) {
  changes.addEventListener('change', listener);
  // The page may come back as it was left, or wake up after the end.
  addEventListener('pageshow', listener);
  document.addEventListener('visibilitychange', listener);
  startTimer();
  listener();
}

/** @returns {Session | typeof ended | null} */
function read() {
  const text = sessionStorage.getItem(key);
  /** @type {Session | typeof ended | null} */
  const session = text === null ? null : JSON.parse(text);
  if (session === null || session === ended) return session;
  if (session.endsAt === null || session.endsAt > Date.now()) return session;
  sessionStorage.setItem(key, JSON.stringify(ended));
  return ended;
}

/** @param {Session | null} session */
function write(session) {
  if (session === null) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, JSON.stringify(session));
  tell();
}

function tell() {
  startTimer();
  changes.dispatchEvent(new Event('change'));
}

function startTimer() {
  clearTimeout(timer);
  const session = read();
  if (session === null || session === ended || session.endsAt === null) return;
  timer = setTimeout(tell, Math.min(session.endsAt - Date.now(), longestTimerMs));
}
