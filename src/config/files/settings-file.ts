import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import type { ConfigMistake } from '../config-error.ts';
import { knownVariables, listSettings } from '../setting-names.ts';
import { findUnknownSettings, nameOfFile } from '../unknown-settings.ts';
import { findYamlMistake } from './yaml-mistakes.ts';

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
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const placeAt = (offset: number) => `${path}:${lines.linePos(offset).line}`;
  const values: Record<string, string> = {};
  const places = new Map<string, string>();
  const mistakes: ConfigMistake[] = [];
  const addMistake = (variable: string, place: string, message: string) =>
    void mistakes.push({ variable, message: `${place}: ${message}` });
  const yamlMistake = findYamlMistake(document);
  if (yamlMistake) {
    addMistake(path, placeAt(yamlMistake.offset), yamlMistake.message);
    return { values, places, mistakes };
  }

  const addTwice = (name: string, place: string, first: string | undefined) =>
    addMistake(
      name,
      place,
      `${nameOfFile(name, knownVariables)} is set twice, first at ${first}. Remove one.`,
    );
  const addValue = (name: string, place: string, value: string | null) => {
    const [unknown] = findUnknownSettings([name], knownVariables, { isOwnFile: true }).mistakes;
    if (unknown) addMistake(name, place, unknown.message);
    else if (places.has(name)) addTwice(name, place, places.get(name));
    else if (value !== null) {
      values[name] = value;
      places.set(name, place);
    }
  };
  const addMap = (name: string, { items }: YAMLMap) => {
    const seen = new Map<string, string>();
    for (const { key, value } of items) {
      const place = placeAt((key as Node).range?.[0] ?? 0);
      const part = isScalar(key) ? String(key.value ?? '') : '?';
      const full = `${name}${name && '_'}${part.replaceAll('-', '_').toUpperCase()}`;
      const first = seen.get(part);
      seen.set(part, first ?? place);
      if (part === '<<') addUnsupported(name, place, 'merge keys');
      else if (part === '') addMistake(name, place, 'a name is missing. Write `name: value`.');
      else if (knownVariables.has(name) && !knownVariables.has(full) && !isGroup(full))
        addMistake(name, place, `${name}: expected a value, and this is a mapping. Put it in quotes.`);
      else if (first !== undefined) addTwice(full, place, first);
      else addNode(full, place, value);
    }
  };
  const addUnsupported = (name: string, place: string, what: string) => {
    const shown = name && `${nameOfFile(name, knownVariables)}: `;
    addMistake(name, place, `${shown}${what} are not supported. Write the values themselves.`);
  };
  const addNode = (name: string, place: string, node: unknown) => {
    const unsupported = findUnsupported(node);
    if (unsupported !== null) {
      addUnsupported(name, place, unsupported);
      return;
    }
    if (isMap(node)) {
      addMap(name, node);
      if (node.items.length > 0 || isGroup(name)) return;
    }
    const value = toText(node);
    if (isSeq(node) && knownVariables.has(name) && !listSettings.has(name))
      addMistake(name, place, `${name}: expected one value, and this is a list.`);
    else if (value === undefined)
      addMistake(name, place, `${nameOfFile(name, knownVariables)}: expected ${expectedOf(name)}.`);
    // A group whose settings are all commented out.
    else if (value !== null || !isGroup(name)) addValue(name, place, value);
  };
  const root = document.contents;
  const rootPlace = placeAt(root?.range[0] ?? 0);
  if (isMap(root)) addNode('', rootPlace, root);
  else if (root !== null && !(isScalar(root) && root.value === null))
    addMistake(
      path,
      rootPlace,
      'expected names with values, such as `business_url: https://business.example.com`.',
    );
  return { values, places, mistakes };
}

const expectedOf = (name: string) =>
  listSettings.has(name) ? 'a text or a list of texts' : 'a text, a number, true or false';

const isGroup = (name: string) =>
  name === '' || [...knownVariables].some((known) => known.startsWith(`${name}_`));

/** What of YAML a value uses that would have no effect here, or another than is seen. */
function findUnsupported(node: unknown): string | null {
  if (isAlias(node)) return 'aliases';
  if (isSeq(node)) return node.items.map(findUnsupported).find((found) => found !== null) ?? null;
  return isNode(node) && node.tag !== undefined ? 'tags' : null;
}

/** Null for an empty value, undefined for one that no variable could have. */
function toText(node: unknown): string | null | undefined {
  if (node === null) return null;
  if (isSeq(node)) {
    const items = node.items.map((item) => (isSeq(item) ? undefined : toText(item)));
    return items.every((item) => typeof item === 'string') ? items.join(',') : undefined;
  }
  if (!isScalar(node)) return undefined;
  if (node.value === null) return null;
  if (typeof node.value === 'boolean') return node.value ? 'on' : 'off';
  // As it is written: 0.10 is no 0.1, and 1_000 no number.
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
}
