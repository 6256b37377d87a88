/**
 * Adds the token to requests to this server's graph when they are sent, so that nothing that stores or displays
 * requests contains it. A request with its own `authorization` header keeps that one.
 */
import { currentToken, refused } from './session.js';
import { settings } from './settings.js';

/** Close code of graphql-ws for a refused token. */
const unauthorized = 4401;

/** Patches `fetch` and `WebSocket`; must run before the scripts that use them. */
export function sendTokenToGraph() {
  window.fetch = fetchWith(window.fetch.bind(window));
  window.WebSocket = socketWith(window.WebSocket);
}

/**
 * @param {typeof window.fetch} send
 * @returns {typeof window.fetch}
 */
function fetchWith(send) {
  return async (input, init) => {
    if (!isGraph(input instanceof Request ? input.url : input)) return send(input, init);
    const request = new Request(input, init);
    const token = request.headers.get('authorization') ? null : currentToken();
    if (token === null) return send(request);
    request.headers.set('authorization', `Bearer ${token}`);
    const response = await send(request);
    // Before the response is returned: its reader may abort the request, which would also abort the clone.
    await reportRefusedToken(response, token);
    return response;
  };
}

/** @param {typeof window.WebSocket} Native */
function socketWith(Native) {
  return class extends Native {
    /** @type {string | null} */
    #sent = null;

    /**
     * @param {string | URL} address
     * @param {string | string[]} [protocols]
     */
    constructor(address, protocols) {
      super(address, protocols);
      if (!isGraph(address)) return;
      this.addEventListener('message', ({ data }) => {
        if (this.#sent !== null && hasUnauthenticatedError(data)) refused(this.#sent);
      });
      this.addEventListener('close', ({ code }) => {
        if (this.#sent !== null && code === unauthorized) refused(this.#sent);
      });
    }

    /**
     * @override
     * @param {Parameters<WebSocket['send']>[0]} data
     */
    send(data) {
      const message = isGraph(this.url) ? parseJson(data) : null;
      const token = currentToken();
      if (message?.type !== 'connection_init' || isAuthorized(message.payload) || token === null) {
        super.send(data);
        return;
      }
      this.#sent = token;
      const payload = { ...message.payload, authorization: `Bearer ${token}` };
      super.send(JSON.stringify({ ...message, payload }));
    }
  };
}

/** @param {string | URL} address */
function isGraph(address) {
  const { origin, pathname } = new URL(address, document.baseURI);
  return origin.replace(/^ws/, 'http') === location.origin && settings.graphPaths.includes(pathname);
}

/** @param {Readonly<Record<string, unknown>> | undefined} payload */
function isAuthorized(payload = {}) {
  return Object.entries(payload).some(([name, value]) => name.toLowerCase() === 'authorization' && value);
}

/**
 * @param {Response} response
 * @param {string} token
 */
async function reportRefusedToken(response, token) {
  const isJson = response.headers.get('content-type')?.includes('json');
  const text = isJson
    ? await response
        .clone()
        .text()
        .catch(() => '')
    : '';
  if (response.status === 401 || hasUnauthenticatedError(text)) refused(token);
}

/**
 * True for a response body or graphql-ws message with an UNAUTHENTICATED error.
 *
 * @param {unknown} text
 */
function hasUnauthenticatedError(text) {
  if (typeof text !== 'string' || !text.includes('UNAUTHENTICATED')) return false;
  const answer = parseJson(text);
  const errors = answer?.errors ?? answer?.payload?.errors ?? answer?.payload;
  return Array.isArray(errors) && errors.some((error) => error?.extensions?.code === 'UNAUTHENTICATED');
}

/**
 * @param {unknown} text
 * @returns {any} the parsed JSON, or null
 */
function parseJson(text) {
  try {
    return typeof text === 'string' ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
