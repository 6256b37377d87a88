import type { ConfigMistake } from './config-error.ts';

/** What no other program's variables begin with: a name like these that is no setting is a mistake. */
const ownPrefix = /^(BUSINESS|MANAGEMENT|HEALTH|INSTANCES|UPSTREAM|WEBHOOK|OPERATION|SANDBOX)_/;

// Kubernetes and Docker give these to each container, for a service named like a prefix.
const serviceLink = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)$/;

// Shorter names are one edit away from variables of other programs.
const minLength = 6;

export interface UnknownSettings {
  /** Variables that are meant to be settings, and would have no effect. */
  readonly mistakes: readonly ConfigMistake[];
  /** Variables that may be meant to be settings. */
  readonly warnings: readonly string[];
}

/** Finds variables that look like settings and are none. `known` are all names that are read. */
export function findUnknownSettings(
  names: Iterable<string>,
  known: ReadonlySet<string>,
  { isOwnFile = false } = {},
): UnknownSettings {
  const mistakes: ConfigMistake[] = [];
  const warnings: string[] = [];
  for (const variable of names) {
    if (known.has(variable) || serviceLink.test(variable)) continue;
    const similar = findSimilar(variable, known);
    if (isOwnFile || ownPrefix.test(variable) || (similar?.isOneEdit && similar.name.length >= minLength))
      mistakes.push({ variable, message: `${variable} is not a setting.${suggest(similar?.name)}` });
    else if (similar && !similar.isOneEdit)
      warnings.push(`${variable} is not a setting, and has no effect.${suggest(similar.name)}`);
  }
  return { mistakes, warnings };
}

const suggest = (name: string | undefined) =>
  name === undefined ? ' docs/settings.md lists them.' : ` Did you mean ${name}?`;

/** The setting that a name is one edit away from, or that is the same but for case, underscores and unit. */
function findSimilar(variable: string, known: ReadonlySet<string>) {
  const plain = toPlain(variable);
  for (const name of known) if (isOneEditApart(variable, name)) return { name, isOneEdit: true };
  for (const name of known) if (toPlain(name) === plain) return { name, isOneEdit: false };
  return undefined;
}

const toPlain = (name: string) =>
  name
    .replace(/_(MS|SECONDS|BYTES|FILE)$/i, '')
    .replaceAll('_', '')
    .toLowerCase();

/** Whether one character was added, removed or replaced, or two neighbours were swapped. */
function isOneEditApart(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const rest = (text: string, skipped: number) => text.slice(start + skipped);
  if (one.length !== other.length) {
    const [short, long] = one.length < other.length ? [one, other] : [other, one];
    return rest(short, 0) === rest(long, 1);
  }
  const isSwapped = one[start] === other[start + 1] && one[start + 1] === other[start];
  return rest(one, 1) === rest(other, 1) || (isSwapped && rest(one, 2) === rest(other, 2));
}
