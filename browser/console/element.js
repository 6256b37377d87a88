/**
 * An element. What is in it is text or other elements: whatever a text looks like, it never becomes markup.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Readonly<Record<string, string | number | boolean | null>>} [attributes] left out where false or null
 * @param {readonly (Node | string | null)[]} content left out where null
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes))
    if (value !== null && value !== false) made.setAttribute(attribute, value === true ? '' : String(value));
  made.append(...content.filter((part) => part !== null));
  return made;
}

/**
 * What the page has under this id.
 *
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function byId(id, kind) {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new TypeError(`The page has no ${kind.name} #${id}.`);
}

/** Sets a text where it is another one, so that nothing is read out again. @param {Element} place @param {string} text */
export function say(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

const inShort = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/**
 * @param {string | null} iso
 * @returns {HTMLElement | string}
 */
export function time(iso) {
  const at = iso === null ? Number.NaN : Date.parse(iso);
  return Number.isNaN(at) ? '–' : element('time', { datetime: iso }, inShort.format(at));
}
