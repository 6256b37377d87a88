/** The *Response* pane: one response, or the results of a subscription below each other. */
import { setText } from '../dom.js';
import { count, formatBytes } from './amounts.js';
import { showCalls } from './calls.js';
import { hasUnauthenticated } from './graph.js';

/**
 * @import { Call, GraphError, GraphResult } from './graph.js'
 * @import { Editor } from './editors.js'
 */

// Older results of a subscription make room for newer ones.
const maxLength = 500_000;

/**
 * @param {Editor} view
 * @param {{ status: HTMLElement, calls: HTMLElement, callsTab: HTMLElement }} places
 * @param {() => void} onUnauthenticated called where a result has such an error
 */
export function createResponsePane(view, { status, calls, callsTab }, onUnauthenticated) {
  /** @type {string[]} */
  const texts = [];

  /** @param {readonly Call[] | null} listed */
  function listCalls(listed) {
    showCalls(calls, listed);
    setText(callsTab, listed === null ? 'Calls' : `Calls (${listed.length})`);
  }

  /** @param {GraphResult} result */
  function addResult({ extensions, ...result }) {
    // The *Calls* pane shows the upstream calls.
    const { upstream: _shown, ...others } = extensions ?? {};
    const shown = Object.keys(others).length > 0 ? { ...result, extensions: others } : result;
    add(JSON.stringify(shown, null, 2));
    if (hasUnauthenticated(result.errors)) onUnauthenticated();
  }

  /** @param {string} text */
  function add(text) {
    texts.push(text);
    while (texts.length > 1 && texts.join('').length > maxLength) texts.shift();
    view.update(texts.join('\n\n'));
    if (texts.length > 1) view.scrollToEnd();
  }

  /** @param {string} words @param {boolean} [isFault] */
  function say(words, isFault = false) {
    status.classList.toggle('fault', isFault);
    setText(status, words);
  }

  return {
    /** @param {string} words */
    say: (words) => say(words),
    /** @param {string} words what is wrong */
    complain: (words) => say(words, true),
    clear() {
      texts.length = 0;
      view.write('');
      listCalls(null);
    },
    /**
     * @param {{ status: number, result: GraphResult | null, text: string, bytes: number }} response
     * @param {number} ms
     * @returns {string} how it went, in a few words
     */
    show(response, ms) {
      const upstream = response.result?.extensions?.upstream ?? null;
      const errors = response.result?.errors?.length ?? 0;
      if (response.result === null) add(response.text);
      else addResult(response.result);
      listCalls(upstream);
      const outcome = [`Status ${response.status}`, `${Math.round(ms)} ms`];
      if (errors > 0) outcome.push(count(errors, 'error'));
      const facts = [...outcome, formatBytes(response.bytes)];
      if (upstream) facts.push(count(upstream.length, 'upstream call'));
      say(facts.join(' · '));
      return outcome.join(' · ');
    },
    add: addResult,
    /** @param {readonly GraphError[]} errors @param {string} words */
    fail(errors, words) {
      addResult({ errors });
      say(words, true);
    },
  };
}
