/**
 * The faults that are set, and a button for each kind.
 *
 * @import { Fault, FaultKind } from './types.js'
 */
import { button, byId, element, setChildren, setText } from '../dom.js';
import {
  addFault,
  readFaults,
  readRandomFaults,
  readReplica,
  removeFault,
  setRandomFaults,
  setReplica,
} from './control.js';
import { areaNames, describeFault, formatKind } from './labels.js';

const methods = ['GET', 'POST', 'PATCH', 'DELETE'];

/**
 * @param {{ announce(text: string): void, attempt(action: () => Promise<void>): Promise<void> }} page
 * @returns {() => Promise<void>} shows what is set now
 */
export function createFaults({ announce, attempt }) {
  const area = byId('fault-area', HTMLSelectElement);
  const method = byId('fault-method', HTMLSelectElement);
  const path = byId('fault-path', HTMLInputElement);
  const part = byId('fault-part', HTMLInputElement);
  const list = byId('fault-list', HTMLUListElement);
  /** @type {Map<number, { item: HTMLLIElement, text: HTMLElement }>} */
  const items = new Map();
  let changes = 0;

  /** @param {() => Promise<void>} action */
  const change = (action) => {
    changes += 1;
    return attempt(action);
  };

  area.append(element('option', { value: '' }, 'Any'));
  for (const [value, label] of Object.entries(areaNames)) area.append(element('option', { value }, label));
  method.append(
    element('option', { value: '' }, 'Any'),
    ...methods.map((name) => element('option', {}, name)),
  );

  /** @param {FaultKind} kind */
  const add = async ({ name, affects }) => {
    if (!['fault-times', 'fault-delay'].every(isValid)) return;
    await change(async () => {
      await addFault({
        kind: name,
        slowMs: numberIn('fault-delay'),
        times: numberIn('fault-times'),
        ...(area.value === '' ? {} : { area: area.value }),
        ...(method.value === '' ? {} : { method: method.value }),
        ...(path.value.trim() === '' ? {} : { path: path.value.trim() }),
        ...(part.checked || affects === 'parts' ? { part: true } : {}),
      });
      announce(`${formatKind(name)} is set.`);
      await show();
    });
  };

  /** @param {Fault} fault */
  const remove = (fault) =>
    change(async () => {
      /** @type {(Element | null)[]} */
      const buttons = [...list.querySelectorAll('button')];
      const at = buttons.indexOf(document.activeElement);
      await removeFault(fault.id);
      announce(`${formatKind(fault.kind ?? 'fault')} is removed.`);
      await show();
      // The button that had the focus is gone.
      const rest = list.querySelectorAll('button');
      if (at >= 0) (rest[Math.min(at, rest.length - 1)] ?? area).focus();
    });

  /** @param {Fault} fault */
  function itemOf(fault) {
    const known = items.get(fault.id) ?? createItem(fault);
    items.set(fault.id, known);
    setText(known.text, describeFault(fault));
    return known.item;
  }

  /** @param {Fault} fault */
  function createItem(fault) {
    const name = fault.kind === undefined ? 'Fault of a program' : formatKind(fault.kind);
    const text = element('span');
    const item = element(
      'li',
      { class: 'set' },
      element('span', {}, element('strong', {}, name), text),
      button('Remove', () => void remove(fault), { 'aria-label': `Remove ${name}` }),
    );
    return { item, text };
  }

  /** @param {readonly FaultKind[]} kinds */
  function showKinds(kinds) {
    const shown = new Set(part.checked ? ['all', 'parts'] : ['all', 'requests']);
    const nodes = (/** @type {boolean} */ isOptIn) =>
      kinds
        .filter((kind) => kind.isOptIn === isOptIn && shown.has(kind.affects))
        .map((kind) =>
          element(
            'li',
            { class: 'kind' },
            button(formatKind(kind.name), () => void add(kind)),
            element('small', {}, kind.description),
          ),
        );
    byId('fault-kinds', HTMLUListElement).replaceChildren(...nodes(false));
    byId('fault-more-kinds', HTMLUListElement).replaceChildren(...nodes(true));
  }

  /** @type {readonly FaultKind[]} */
  let known = [];

  async function show() {
    const before = changes;
    const [{ faults, kinds }, random, { isLagging }] = await Promise.all([
      readFaults(),
      readRandomFaults(),
      readReplica(),
    ]);
    // What was read before the user's last change would take it back on the page until the next read.
    if (before !== changes) return;
    if (known.length === 0) showKinds(kinds);
    known = kinds;
    for (const id of [...items.keys()]) if (!faults.some((fault) => fault.id === id)) items.delete(id);
    setChildren(list, faults.map(itemOf));
    byId('fault-none', HTMLElement).hidden = faults.length > 0;
    byId('replica', HTMLInputElement).checked = isLagging;
    byId('chaos', HTMLInputElement).checked = random.rate > 0;
    const count = faults.length + Number(isLagging) + Number(random.rate > 0);
    setText(byId('fault-count', HTMLElement), count === 0 ? '' : `${count} set`);
  }

  const applyRandom = async () => {
    const isOn = byId('chaos', HTMLInputElement).checked;
    if (isOn && !isValid('chaos-percent')) return attempt(show);
    await change(async () => {
      const reads = byId('chaos-reads', HTMLInputElement).checked;
      await setRandomFaults(isOn ? { rate: numberIn('chaos-percent') / 100, reads } : { rate: 0 });
      announce(isOn ? 'Random faults are on.' : 'Random faults are off.');
      await show();
    });
  };
  for (const id of ['chaos', 'chaos-percent', 'chaos-reads'])
    byId(id, HTMLInputElement).addEventListener('change', () => {
      if (id === 'chaos' || byId('chaos', HTMLInputElement).checked) void applyRandom();
    });
  byId('replica', HTMLInputElement).addEventListener('change', ({ target }) => {
    const isOn = /** @type {HTMLInputElement} */ (target).checked;
    void change(async () => {
      await setReplica(isOn);
      announce(isOn ? 'Reads are stale.' : 'Reads see every write.');
      await show();
    });
  });
  part.addEventListener('change', () => showKinds(known));
  return show;
}

/** @param {string} id */
const numberIn = (id) => byId(id, HTMLInputElement).valueAsNumber;

/** Whether a field has a number that it takes; says so at the field where it has not. @param {string} id */
const isValid = (id) => byId(id, HTMLInputElement).reportValidity();
