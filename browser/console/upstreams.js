/**
 * The status of the upstreams.
 *
 * @import { View } from './router.js'
 * @import { Upstream } from './types.js'
 */

import { element, setText } from '../dom.js';
import { upstreams as readUpstreams } from './documents.js';
import { ask, errorMessages } from './graph.js';
import { describeUpstream, formatMs, upstreamNames } from './labels.js';
import { createListeners } from './listeners.js';
import { chip } from './states.js';
import { time } from './times.js';

/** @param {(text: string) => void} announce */
export function createUpstreamStore(announce) {
  const { notify, watch } = createListeners();
  /** @type {readonly Upstream[]} */
  let upstreams = [];
  let fault = '';
  return {
    watch,
    snapshot: () => ({ upstreams, fault }),
    async read() {
      const { data, errors } = await ask(readUpstreams);
      fault = errorMessages(errors);
      for (const upstream of data?.upstreams ?? []) {
        const before = upstreams.find(({ name }) => name === upstream.name);
        const { word, why } = describeUpstream(upstream);
        if (before && (word === 'Degraded') !== (describeUpstream(before).word === 'Degraded'))
          announce(`${upstreamNames[upstream.name]}: ${word}. ${why}`);
      }
      upstreams = data?.upstreams ?? upstreams;
      notify();
    },
  };
}

/** @typedef {ReturnType<typeof createUpstreamStore>} UpstreamStore */

/**
 * @param {UpstreamStore} store
 * @returns {View}
 */
export function createUpstreamsView(store) {
  return (_parameters, signal, setTitle) => {
    setTitle('Upstreams');
    const fault = element('p', { class: 'fault', role: 'status' });
    const list = element('ul', { class: 'upstreams' });
    let shown = '';
    store.watch(() => {
      const { upstreams, fault: message } = store.snapshot();
      setText(fault, message);
      // Replaced only when something has changed, so that a screen reader keeps its position.
      const now = JSON.stringify(upstreams);
      if (now === shown) return;
      shown = now;
      list.replaceChildren(...upstreams.map(renderUpstream));
    }, signal);
    return { content: [fault, list] };
  };
}

/** @param {Upstream} upstream */
function renderUpstream(upstream) {
  const { breaker, pace, lately } = upstream;
  const { tone, word, why } = describeUpstream(upstream);
  const facts = [
    pace &&
      fact(
        'Concurrent calls',
        `${pace.maxInFlight - pace.inFlight} of ${pace.maxInFlight} free, ${pace.waiting} waiting`,
      ),
    pace?.pausedUntil && fact('Paused until', time(pace.pausedUntil)),
    breaker?.openUntil && fact('Circuit open until', time(breaker.openUntil)),
    lately?.count && fact('Latency p50, p99', `${formatMs(lately.p50Ms)}, ${formatMs(lately.p99Ms)}`),
    lately && fact('Recent calls', `${lately.count}, ${lately.failures} failed`),
  ];
  return element(
    'li',
    { class: 'panel' },
    element('h2', {}, upstreamNames[upstream.name]),
    element('p', { class: 'state' }, chip({ tone, word })),
    element('p', { class: 'facts' }, why),
    element('dl', { class: 'properties' }, ...facts.flatMap((part) => part || [])),
  );
}

/**
 * @param {string} name
 * @param {Node | string} value
 */
const fact = (name, value) => element('div', {}, element('dt', {}, name), element('dd', {}, value));
