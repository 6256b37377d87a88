/** Adds an element to Altair's header, which Altair creates once, after its scripts have run. @param {HTMLElement} added */
export function addToHeader(added) {
  new MutationObserver((_changes, observer) => {
    const header = document.querySelector('app-header');
    if (!header) return;
    observer.disconnect();
    header.append(added);
  }).observe(document.body, { subtree: true, childList: true });
}
