/**
 * The address of a view, in the fragment: it is sent to no server. A segment may contain any text.
 *
 * @typedef {(text: string) => void} SetTitle also called later, once what the page is about has been read
 * @typedef {(parameters: readonly string[], signal: AbortSignal, setTitle: SetTitle) => { above?: Node, content: Node[] }} View
 */
import { element } from '../dom.js';

/** @param {string} hash @returns {string[]} */
export function parseRoute(hash) {
  try {
    return hash
      .replace(/^#?\/?/, '')
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return [];
  }
}

/** @param {readonly string[]} parts */
export const formatRoute = (...parts) => `#/${parts.map(encodeURIComponent).join('/')}`;

/**
 * Shows the view that the fragment names, now and whenever it changes. The signal of a view aborts when it is left.
 *
 * @param {Element} place
 * @param {Readonly<Record<string, View>>} views by the first segment; the first of them is shown for any other
 * @param {(name: string) => void} onShow called with the name of the view
 */
export function startRouter(place, views, onShow) {
  const [first = ''] = Object.keys(views);
  let leaving = new AbortController();
  let isFirst = true;
  const show = () => {
    // The fragment of the skip link is no view.
    if (!isFirst && location.hash !== '' && !location.hash.startsWith('#/')) return;
    const [name = first, ...parameters] = parseRoute(location.hash);
    const known = views[name] ? name : first;
    leaving.abort();
    leaving = new AbortController();
    const heading = element('h1', { tabindex: -1 });
    const setTitle = (/** @type {string} */ text) => {
      heading.textContent = text;
      document.title = `${text} · Tributary console`;
    };
    const view = /** @type {View} */ (views[known]);
    const { above, content } = view(parameters, leaving.signal, setTitle);
    place.replaceChildren(...(above ? [above] : []), heading, ...content);
    onShow(known);
    // Not at the first view: a reader begins at the top of the page.
    if (!isFirst) heading.focus({ preventScroll: true });
    if (!isFirst) scrollTo(0, 0);
    isFirst = false;
  };
  addEventListener('hashchange', show);
  show();
}
