/**
 * How the upstreams do.
 *
 * @import { Upstream } from './documents.js'
 */
import { upstreams } from './documents.js';
import { byId, element, say, time } from './element.js';
import { ask, faultText } from './graph.js';
import { msText, standingOf, upstreamNames } from './words.js';

/**
 * Returns how to ask for them again.
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
    const { data, faults } = await ask(upstreams);
    say(fault, faultText(faults));
    if (!data?.upstreams) return;
    // Replaced only where something has changed, so that nobody loses the place they read at.
    const now = JSON.stringify(data.upstreams);
    if (now === shown) return;
    shown = now;
    list.replaceChildren(...data.upstreams.map(card));
    for (const upstream of data.upstreams) {
      const { standing, word, why } = standingOf(upstream);
      const known = before.get(upstream.name);
      if (known !== undefined && known !== standing)
        announce(`${upstreamNames[upstream.name]}: ${word}. ${why}`);
      before.set(upstream.name, standing);
    }
  };
}

/** @param {Upstream} upstream */
function card(upstream) {
  const { breaker, pace, lately } = upstream;
  const { standing, word, why } = standingOf(upstream);
  const facts = [
    pace &&
      fact(
        'Your pace',
        `${pace.maxInFlight - pace.inFlight} of ${pace.maxInFlight} free, ${pace.waiting} waiting`,
      ),
    pace?.pausedUntil && fact('Paused until', time(pace.pausedUntil)),
    breaker?.openUntil && fact('Calls stopped until', time(breaker.openUntil)),
    lately && fact('Latency p50, p99', `${msText(lately.p50Ms)}, ${msText(lately.p99Ms)}`),
    lately && fact('Calls lately', `${lately.count}, ${lately.failures} failed`),
  ];
  return element(
    'li',
    { class: 'card', 'data-standing': standing },
    element('h3', {}, upstreamNames[upstream.name]),
    element(
      'p',
      { class: 'state' },
      element('span', { class: 'mark', 'aria-hidden': 'true' }, marks[standing]),
      ` ${word}`,
    ),
    element('p', { class: 'facts' }, why),
    element('dl', {}, ...facts.flatMap((parts) => parts || [])),
  );
}

const marks = { well: '✓', trouble: '✗', absent: '–' };

/**
 * @param {string} name
 * @param {Node | string} value
 */
const fact = (name, value) => [element('div', {}, element('dt', {}, name), element('dd', {}, value))];
