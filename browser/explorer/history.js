/** The *History* pane: the last runs. They are kept in this browser, without headers and responses. */
import { button, element } from '../dom.js';
import { browserStorage } from '../storage.js';
import { nameDocument } from './documents.js';
import { isContent, readJson } from './workspace.js';

/**
 * @import { Content } from './workspace.js'
 * @typedef {Content & { outcome: string, at: number }} Run `at` in milliseconds since 1970
 */

const key = 'tributary.explorer.history';
const maxRuns = 20;

/**
 * @param {HTMLElement} place
 * @param {(run: Content) => void} onOpen
 */
export function createHistory(place, onOpen) {
  /** @param {readonly Run[]} runs */
  function keep(runs) {
    browserStorage.set(key, runs.length === 0 ? null : JSON.stringify(runs));
    draw();
  }

  function draw() {
    const runs = readRuns();
    if (runs.length === 0)
      return place.replaceChildren(element('p', {}, `No runs yet. The last ${maxRuns} are listed here.`));
    place.replaceChildren(
      element('ul', { class: 'found' }, ...runs.map(describeRun)),
      button('Clear history', () => keep([])),
    );
  }

  /** @param {Run} run */
  const describeRun = (run) =>
    element(
      'li',
      {},
      button(nameDocument(run.query), () => onOpen(run), { class: 'link' }),
      element('p', {}, `${new Date(run.at).toLocaleString()} · ${run.outcome}`),
    );

  draw();
  return {
    /** Adds a run, in place of an earlier one of the same document. @param {Run} run */
    add(run) {
      const others = readRuns().filter(
        ({ query, variables }) => query !== run.query || variables !== run.variables,
      );
      keep([run, ...others].slice(0, maxRuns));
    },
  };
}

/** What is stored, as far as it has the form that it is stored in. @returns {readonly Run[]} */
function readRuns() {
  const runs = readJson(key);
  return Array.isArray(runs) ? runs.filter(isRun) : [];
}

/** @param {any} run @returns {run is Run} */
const isRun = (run) => typeof run?.outcome === 'string' && typeof run.at === 'number' && isContent(run);
