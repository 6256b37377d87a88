import type { ConfigMistake } from './config-error.ts';
import { knownVariables } from './setting-names.ts';

/** Prefixes that only settings have. Unknown variables with these prefixes are mistakes. */
const ownPrefix = /^(BUSINESS|MANAGEMENT|HEALTH|INSTANCES|UPSTREAM|WEBHOOK|OPERATION|SANDBOX)_/;

// Shorter names are too similar to variables of other programs.
const minLength = 6;

/** Finds variables that are probably meant as settings, but have no effect. */
export const findUnknownSettings = (variables: readonly string[]): ConfigMistake[] =>
  variables
    .filter((variable) => !knownVariables.has(variable))
    .flatMap((variable) => {
      const similar = findSimilar(variable);
      return similar !== undefined || ownPrefix.test(variable)
        ? [{ variable, message: `${variable} is not a setting.${suggest(similar)}` }]
        : [];
    });

/** The setting that is probably meant: of a misspelled name, or of `{name}_FILE` although the setting is no secret. */
const findSimilar = (variable: string): string | undefined =>
  [...knownVariables].find(
    (name) => name.length >= minLength && (variable === `${name}_FILE` || isOneEditAway(variable, name)),
  );

const suggest = (name: string | undefined) =>
  name === undefined ? ' `tributary settings` lists them.' : ` Did you mean ${name}?`;

/** Whether the Damerau–Levenshtein distance is one: a character added, removed or replaced, or two neighbours swapped. */
function isOneEditAway(one: string, other: string): boolean {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const [left, right] = [one.slice(same), other.slice(same)];
  const isSwapped = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
  return left.slice(1) === right || left === right.slice(1) || left.slice(1) === right.slice(1) || isSwapped;
}
