/**
 * Sends a request of the control API, the one that programs use.
 *
 * @param {'GET' | 'POST' | 'DELETE'} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>} null without a body
 */
async function send(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = text === '' ? null : JSON.parse(text);
  if (!response.ok) throw new Error(json?.error?.message ?? `${method} ${path}: ${response.status}`);
  return json;
}

/** @returns {Promise<import('./types.js').Contents>} */
export const readContents = () => send('GET', '/sandbox/contents');

/** @returns {Promise<import('./types.js').Faults>} */
export const readFaults = () => send('GET', '/sandbox/faults');

/** @param {object} fault */
export const addFault = (fault) => send('POST', '/sandbox/faults', fault);

/** @param {number} id */
export const removeFault = (id) => send('DELETE', `/sandbox/faults?id=${id}`);

/** @returns {Promise<import('./types.js').RandomFaults>} */
export const readRandomFaults = () => send('GET', '/sandbox/chaos');

/** @param {import('./types.js').RandomFaults} settings */
export const setRandomFaults = (settings) => send('POST', '/sandbox/chaos', settings);

/** @returns {Promise<{ readonly isLagging: boolean }>} */
export const readReplica = () => send('GET', '/sandbox/replica');

/** @param {boolean} isLagging */
export const setReplica = (isLagging) => send('POST', '/sandbox/replica', { isLagging });

export const clearJournal = () => send('DELETE', '/sandbox/journal');

export const reset = () => send('POST', '/sandbox/reset');
