/** Tabs of the ARIA pattern: arrow keys move between them, Tab goes on to the panel. */

/**
 * @param {HTMLElement} list with a `role=tab` for each panel, which it names by `aria-controls`
 * @returns {(id: string) => void} shows the panel of this id
 */
export function createTabs(list) {
  const tabs = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('[role=tab]')]);
  /** @param {HTMLElement} chosen */
  function show(chosen) {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
      if (panel) panel.hidden = !isChosen;
    }
  }
  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener('click', () => show(tab));
    tab.addEventListener('keydown', ({ key }) => {
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      const next = step === 0 ? undefined : tabs.at((at + step) % tabs.length);
      if (!next) return;
      show(next);
      next.focus();
    });
  }
  return (id) => {
    const tab = tabs.find((each) => each.getAttribute('aria-controls') === id);
    if (tab) show(tab);
  };
}
