/**
 * The status of the upstreams.
 *
 * @import { Upstream } from './documents.js'
 */
import { upstreams } from './documents.js';
import { byId, element, setText, time } from './dom.js';
import { ask, errorMessages } from './graph.js';
import { describeUpstream, formatMs, upstreamNames } from './labels.js';

/**
 * Returns a function that refreshes them.
 *
 * @param {(text: string) => void} announce
 */
export function showUpstreams(announce) {
  const list = byId('upstream-list', HTMLUListElement);
  const fault = byId('upstreams-fault', HTMLElement);
  /** @type {Map<string, string>} */
  const before = new Map();
  let shown = '';

  return async () => {
    /** @type {Awaited<ReturnType<typeof ask<{ upstreams: Upstream[] | null }>>>} */
    const { data, errors } = await ask(upstreams);
    setText(fault, errorMessages(errors));
    if (!data?.upstreams) return;
    // Replaced only when something has changed, so that a screen reader keeps its position.
    const now = JSON.stringify(data.upstreams);
    if (now === shown) return;
    shown = now;
    list.replaceChildren(...data.upstreams.map(card));
    for (const upstream of data.upstreams) {
      const { status, word, why } = describeUpstream(upstream);
      const known = before.get(upstream.name);
      if (known !== undefined && known !== status)
        announce(`${upstreamNames[upstream.name]}: ${word}. ${why}`);
      before.set(upstream.name, status);
    }
  };
}

/** @param {Upstream} upstream */
function card(upstream) {
  const { breaker, pace, lately } = upstream;
  const { status, word, why } = describeUpstream(upstream);
  const facts = [
    pace &&
      fact(
        'Concurrent calls',
        `${pace.maxInFlight - pace.inFlight} of ${pace.maxInFlight} free, ${pace.waiting} waiting`,
      ),
    pace?.pausedUntil && fact('Paused until', time(pace.pausedUntil)),
    breaker?.openUntil && fact('Circuit open until', time(breaker.openUntil)),
    lately && fact('Latency p50, p99', `${formatMs(lately.p50Ms)}, ${formatMs(lately.p99Ms)}`),
    lately && fact('Recent calls', `${lately.count}, ${lately.failures} failed`),
  ];
  return element(
    'li',
    { class: 'card', 'data-status': status },
    element('h3', {}, upstreamNames[upstream.name]),
    element(
      'p',
      { class: 'state' },
      element('span', { class: 'mark', 'aria-hidden': 'true' }, marks[status]),
      ` ${word}`,
    ),
    element('p', { class: 'facts' }, why),
    element('dl', {}, ...facts.flatMap((parts) => parts || [])),
  );
}

const marks = { ok: '✓', degraded: '✗', absent: '–' };

/**
 * @param {string} name
 * @param {Node | string} value
 */
const fact = (name, value) => [element('div', {}, element('dt', {}, name), element('dd', {}, value))];
