import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { ConfigMistake } from './config-error.ts';
import { knownVariables } from './setting-names.ts';
import { findUnknownSettings } from './unknown-settings.ts';

export interface SettingsFile {
  /** Texts as variables would have them, by the names of the variables. */
  readonly values: Readonly<Record<string, string>>;
  /** The line of each, such as `tributary.yaml:3`. */
  readonly places: ReadonlyMap<string, string>;
  readonly mistakes: readonly ConfigMistake[];
}

/**
 * Reads settings in YAML. A name is that of the variable in lower case, whole or in parts at its underscores:
 * `business_url: …` and `business: { url: … }` are `BUSINESS_URL`. `true` and `false` are `on` and `off`, a list is its
 * items with commas between them, and an empty value is unset.
 */
export function parseSettingsFile(text: string, path: string): SettingsFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeAt = (offset: number) => `${path}:${lines.linePos(offset).line}`;
  const values: Record<string, string> = {};
  const places = new Map<string, string>();
  const mistakes: ConfigMistake[] = [];
  const addMistake = (variable: string, place: string, message: string) =>
    void mistakes.push({ variable, message: `${place}: ${message}` });
  for (const { message, pos } of document.errors) addMistake(path, placeAt(pos[0]), `${message}.`);
  if (document.errors.length > 0) return { values, places, mistakes };

  const addValue = (name: string, place: string, value: string | null) => {
    const [unknown] = findUnknownSettings([name], knownVariables, { isOwnFile: true }).mistakes;
    if (unknown) addMistake(name, place, unknown.message);
    else if (places.has(name))
      addMistake(name, place, `${name} is set twice, first at ${places.get(name)}. Remove one.`);
    else if (value !== null) {
      values[name] = value;
      places.set(name, place);
    }
  };
  const addNode = (name: string, place: string, node: unknown) => {
    if (isMap(node)) {
      for (const { key, value } of node.items) {
        const part = isScalar(key) ? String(key.value) : '?';
        const offset = (key as Node).range?.[0] ?? 0;
        addNode(`${name}${name && '_'}${part.replaceAll('-', '_').toUpperCase()}`, placeAt(offset), value);
      }
      if (node.items.length > 0 || isGroup(name)) return;
    }
    const value = toText(node);
    if (value === undefined)
      addMistake(name, place, `${name}: expected a text, a number, true, false or a list of them.`);
    // A group whose settings are all commented out.
    else if (value !== null || !isGroup(name)) addValue(name, place, value);
  };
  const root = document.contents;
  if (isMap(root)) addNode('', path, root);
  else if (root !== null && !(isScalar(root) && root.value === null))
    addMistake(
      path,
      placeAt(0),
      'expected names with values, such as `business_url: https://business.example.com`.',
    );
  return { values, places, mistakes };
}

const isGroup = (name: string) =>
  name === '' || [...knownVariables].some((known) => known.startsWith(`${name}_`));

/** Null for an empty value, undefined for one that no variable could have. */
function toText(node: unknown): string | null | undefined {
  if (node === null) return null;
  if (isSeq(node)) {
    const items = node.items.map(toText);
    return items.every((item) => typeof item === 'string') ? items.join(',') : undefined;
  }
  if (!isScalar(node)) return undefined;
  if (node.value === null) return null;
  if (typeof node.value === 'boolean') return node.value ? 'on' : 'off';
  // As it is written: 0.10 is no 0.1, and 1_000 no number.
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
}
