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
 * @param {string | readonly (Node | string)[]} label
 * @param {() => void} onClick
 * @param {Readonly<Record<string, string | number | boolean | null>>} [attributes]
 */
export function button(label, onClick, attributes = {}) {
  const made = element(
    'button',
    { type: 'button', ...attributes },
    ...(typeof label === 'string' ? [label] : label),
  );
  made.addEventListener('click', onClick);
  return made;
}

/**
 * @param {string} label
 * @param {readonly string[][]} options each a value and its text
 * @param {string} value
 */
export function select(label, options, value) {
  const made = element(
    'select',
    { 'aria-label': label },
    ...options.map(([one = '', text = '']) => element('option', { value: one }, text)),
  );
  made.value = value;
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

/**
 * Makes these the children of an element. Those that stay in place are not moved, because moving one loses its focus.
 *
 * @param {Element} parent
 * @param {readonly Element[]} children
 */
export function setChildren(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  for (const [at, child] of children.entries())
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
}

/**
 * A list that keeps the item of each key. Returns the list, and a function that shows these values in it.
 *
 * @template Value
 * @param {string} name its class
 * @param {(value: Value) => string} keyOf
 * @param {() => { item: HTMLElement, showValue(value: Value): void }} createItem
 */
export function createKeyedList(name, keyOf, createItem) {
  const list = element('ol', { class: name });
  /** @type {Map<string, ReturnType<typeof createItem> & { value: Value | null }>} */
  const items = new Map();
  const itemOf = (/** @type {Value} */ value) => {
    const known = items.get(keyOf(value)) ?? { ...createItem(), value: null };
    if (known.value !== value) known.showValue(value);
    known.value = value;
    items.set(keyOf(value), known);
    return known.item;
  };
  return { list, show: (/** @type {readonly Value[]} */ values) => setChildren(list, values.map(itemOf)) };
}

/**
 * Joins texts in one line. Each is isolated: a character of one that turns the direction of text leaves the others as they are.
 *
 * @param {readonly string[]} texts blank ones are omitted
 * @param {string} [separator]
 * @returns {(Node | string)[]}
 */
export const joinIsolated = (texts, separator = ' · ') =>
  texts
    .filter((text) => text.trim() !== '')
    .flatMap((text, at) => [...(at === 0 ? [] : [separator]), element('bdi', {}, text)]);
