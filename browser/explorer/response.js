/** The *Response* pane: one response, or the results of a subscription below each other. */
import { setText } from '../dom.js';
import { formatBytes, showCalls } from './calls.js';

/**
 * @import { Call, GraphError, GraphResult } from './graph.js'
 * @import { Editor } from './editors.js'
 */

// Older results of a subscription make room for newer ones.
const maxLength = 500_000;

/**
 * @param {Editor} view
 * @param {{ status: HTMLElement, calls: HTMLElement, callsTab: HTMLElement }} places
 */
export function createResponsePane(view, { status, calls, callsTab }) {
  /** Of the results that are shown, each with the blank line before it. */
  const lengths = /** @type {number[]} */ ([]);

  /** @param {readonly Call[] | null} listed */
  function listCalls(listed) {
    showCalls(calls, listed);
    setText(callsTab, listed === null ? 'Calls' : `Calls (${listed.length})`);
  }

  /** @param {string} text */
  function add(text) {
    const added = lengths.length === 0 ? text : `\n\n${text}`;
    lengths.push(added.length);
    let removed = 0;
    while (lengths.length > 1 && sum(lengths) > maxLength) removed += lengths.shift() ?? 0;
    if (lengths.length === 1) view.write(text);
    else view.append(added, removed);
  }

  return {
    /** @param {string} words */
    say: (words) => setText(status, words),
    clear() {
      lengths.length = 0;
      view.write('');
      listCalls(null);
    },
    /** @param {{ status: number, result: GraphResult | null, text: string, bytes: number }} response @param {number} ms */
    show(response, ms) {
      const upstream = response.result?.extensions?.upstream ?? null;
      add(response.result === null ? response.text : formatResult(response.result));
      listCalls(upstream);
      const facts = [`Status ${response.status}`, `${Math.round(ms)} ms`, formatBytes(response.bytes)];
      if (upstream) facts.push(`${upstream.length} upstream call${upstream.length === 1 ? '' : 's'}`);
      setText(status, facts.join(' · '));
    },
    /** @param {GraphResult} result */
    add: (result) => add(formatResult(result)),
    /** @param {readonly GraphError[]} errors */
    fail: (errors) => add(formatResult({ errors })),
  };
}

/** @param {readonly number[]} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** Without `extensions.upstream`, which the *Calls* pane shows. @param {GraphResult} result */
function formatResult({ extensions, ...result }) {
  const { upstream: _shown, ...others } = extensions ?? {};
  const shown = Object.keys(others).length > 0 ? { ...result, extensions: others } : result;
  return JSON.stringify(shown, null, 2);
}
