/** The list of documents: the examples, and those of the user. */
import { button, element } from '../dom.js';

/**
 * @import { Entry, Workspace } from './workspace.js'
 */

/**
 * @param {HTMLElement} place
 * @param {Workspace} workspace
 */
export function showDocuments(place, workspace) {
  const draw = () => {
    const focused =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset.id : undefined;
    const current = workspace.current().id;
    const entries = workspace.list();
    const own = entries.filter(({ kind }) => kind !== 'example');
    place.replaceChildren(
      element('h2', {}, 'Examples'),
      createList(
        entries.filter(({ kind }) => kind === 'example'),
        current,
      ),
      element('h2', {}, 'Yours'),
      createList(own, current),
      button('New document', () => workspace.add(), { 'data-id': 'new' }),
    );
    const again = focused === undefined ? null : place.querySelector(`[data-id="${CSS.escape(focused)}"]`);
    if (again instanceof HTMLElement) again.focus();
  };
  /** @param {readonly Entry[]} entries @param {string} current */
  const createList = (entries, current) =>
    element(
      'ul',
      {},
      ...entries.map(({ id, name, isChanged }) =>
        element(
          'li',
          {},
          button(
            isChanged ? [name, ' ', element('small', {}, 'changed')] : name,
            () => workspace.select(id),
            { 'data-id': id, 'aria-current': id === current ? 'true' : null },
          ),
        ),
      ),
    );
  let drawn = '';
  workspace.watch(() => {
    // Every letter that is typed changes the workspace; the list only where it shows another name or mark.
    const shown = JSON.stringify([
      workspace.current().id,
      workspace.list().map(({ id, name, isChanged }) => [id, name, isChanged]),
    ]);
    if (shown === drawn) return;
    drawn = shown;
    draw();
  });
  draw();
}
