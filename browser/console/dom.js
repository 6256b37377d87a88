/**
 * Creates an element. Strings become text nodes, never markup.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Readonly<Record<string, string | number | boolean | null>>} [attributes] false and null are omitted
 * @param {readonly (Node | string | null)[]} content null is omitted
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
 * Finds an element by id and checks its type.
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

/** Sets the text only when it differs, so that a screen reader does not repeat it. @param {Element} place @param {string} text */
export function setText(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/**
 * @param {string | null} iso
 * @returns {HTMLElement | string}
 */
export function time(iso) {
  const at = iso === null ? Number.NaN : Date.parse(iso);
  return Number.isNaN(at) ? '–' : element('time', { datetime: iso }, timeFormat.format(at));
}
