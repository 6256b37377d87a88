/** The list of documents: the examples, and those of the user. */
import { button, element } from '../dom.js';

/** @import { Entry, Workspace } from './workspace.js' */

/**
 * @param {HTMLElement} place
 * @param {Workspace} workspace
 * @param {() => void} onAdd
 */
export function showDocuments(place, workspace, onAdd) {
  let drawn = '';
  const draw = () => {
    const current = workspace.current().id;
    const entries = workspace.list();
    // Every letter that is typed changes the workspace, but seldom a name.
    const shown = JSON.stringify([current, entries.map(({ id, name }) => [id, name])]);
    if (shown === drawn) return;
    drawn = shown;
    const focused =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset.id : undefined;
    const createList = (/** @type {boolean} */ areExamples) =>
      element(
        'ul',
        {},
        ...entries
          .filter(({ kind }) => (kind === 'example') === areExamples)
          .map((entry) => createItem(entry, current)),
      );
    place.replaceChildren(
      element('h2', {}, 'Examples'),
      createList(true),
      element('h2', {}, 'Yours'),
      createList(false),
      button('New document', onAdd, { 'data-id': 'new' }),
    );
    const again = focused === undefined ? null : place.querySelector(`[data-id="${CSS.escape(focused)}"]`);
    if (again instanceof HTMLElement) again.focus();
    // On a narrow screen the list is one row.
    const open = place.querySelector('[aria-current]');
    if (open instanceof HTMLElement) place.scrollLeft = open.offsetLeft - place.clientWidth / 3;
  };
  /** @param {Entry} entry @param {string} current */
  const createItem = ({ id, name }, current) =>
    element(
      'li',
      {},
      button(name, () => workspace.select(id), {
        'data-id': id,
        'aria-current': id === current ? 'true' : null,
      }),
    );
  workspace.watch(draw);
  draw();
}
