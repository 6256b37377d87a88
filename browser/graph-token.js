/**
 * Puts the token into what a page sends to the graph of its own server, at the time of sending: nothing
 * that keeps or shows requests has it. Where a request has an authorization of its own, that one is sent.
 */
import { currentToken, refused } from './session.js';
import { settings } from './settings.js';

/** The close code of graphql-ws for a token that is not taken. */
const unauthorized = 4401;

/** Must come before the scripts whose requests are meant. */
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
    // Before it is handed over: who has read an answer may abort its request, and so the copy.
    await noteRefusal(response, token);
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
        if (this.#sent !== null && isRefusalOf(data)) refused(this.#sent);
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
      const message = isGraph(this.url) ? parsed(data) : null;
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
async function noteRefusal(response, token) {
  const isJson = response.headers.get('content-type')?.includes('json');
  const text = isJson
    ? await response
        .clone()
        .text()
        .catch(() => '')
    : '';
  if (response.status === 401 || isRefusalOf(text)) refused(token);
}

/**
 * True for an answer, or a message of graphql-ws, with the error of a token that is not taken.
 *
 * @param {unknown} text
 */
function isRefusalOf(text) {
  if (typeof text !== 'string' || !text.includes('UNAUTHENTICATED')) return false;
  const answer = parsed(text);
  const errors = answer?.errors ?? answer?.payload?.errors ?? answer?.payload;
  return Array.isArray(errors) && errors.some((error) => error?.extensions?.code === 'UNAUTHENTICATED');
}

/**
 * @param {unknown} text
 * @returns {any} what the text says, where it is JSON
 */
function parsed(text) {
  try {
    return typeof text === 'string' ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
