import type { ConfigMistake } from './config-error.ts';

/** What no other program's variables begin with: a name like these that is no setting is a mistake. */
const ownPrefix = /^(BUSINESS|MANAGEMENT|HEALTH|INSTANCES|UPSTREAM|WEBHOOK|OPERATION|SANDBOX)_/;

// Shorter names are one edit away from variables of other programs: a warning.
const minLength = 6;

export interface UnknownSettings {
  /** Variables that are meant to be settings, and would have no effect. */
  readonly mistakes: readonly ConfigMistake[];
  /** Variables that may be meant to be settings. */
  readonly warnings: readonly string[];
}

/** Finds variables that look like settings and are none. `known` are all names that are read. */
export function findUnknownSettings(names: Iterable<string>, known: ReadonlySet<string>): UnknownSettings {
  const mistakes: ConfigMistake[] = [];
  const warnings: string[] = [];
  for (const variable of names) {
    if (known.has(variable)) continue;
    const file = findSettingOfFile(variable, known);
    const similar = file ?? [...known].find((name) => isOneEditAway(variable, name));
    if (ownPrefix.test(variable) || (similar !== undefined && similar.length >= minLength)) {
      const why = file === undefined ? '' : ': only secrets are read from files';
      mistakes.push({ variable, message: `${variable} is not a setting${why}.${suggest(similar)}` });
    } else if (similar !== undefined)
      warnings.push(`${variable} is not a setting, and has no effect.${suggest(similar)}`);
  }
  return { mistakes, warnings };
}

/** The setting of `JWT_ISSUER_FILE` and the like: whoever sets it relies on it, and it would have no effect. */
function findSettingOfFile(variable: string, known: ReadonlySet<string>): string | undefined {
  const name = variable.replace(/_FILE$/, '');
  return name !== variable && known.has(name) ? name : undefined;
}

const suggest = (name: string | undefined) =>
  name === undefined ? ' `tributary settings` lists them.' : ` Did you mean ${name}?`;

/** Whether one character is added, removed or replaced, or two neighbours are swapped. */
function isOneEditAway(one: string, other: string): boolean {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const [left, right] = [one.slice(same), other.slice(same)];
  const isSwapped = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
  return left.slice(1) === right || left === right.slice(1) || left.slice(1) === right.slice(1) || isSwapped;
}
