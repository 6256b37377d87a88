import type { ConfigMistake } from './config-error.ts';

/** What no other program's variables begin with: a name like these that is no setting is a mistake. */
const ownPrefix = /^(BUSINESS|MANAGEMENT|HEALTH|INSTANCES|UPSTREAM|WEBHOOK|OPERATION|SANDBOX)_/;

// Shorter names are one edit away from variables of other programs: a warning.
const minLength = 6;

// Shorter names are two edits away from variables of other programs, such as FTP_PROXY from HTTP_PROXY.
const minLengthForTwo = 12;

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
    const similar = findSimilar(variable, known);
    const isFile = isFileOfSetting(variable, known);
    if (ownPrefix.test(variable) || isFile || (similar?.edits === 1 && similar.name.length >= minLength)) {
      const why = isFile ? ': only secrets are read from files' : '';
      mistakes.push({ variable, message: `${variable} is not a setting${why}.${suggest(similar?.name)}` });
    } else if (similar)
      warnings.push(`${variable} is not a setting, and has no effect.${suggest(similar.name)}`);
  }
  return { mistakes, warnings };
}

/** `JWT_ISSUER_FILE` and the like: whoever sets it relies on it, and it would have no effect. */
function isFileOfSetting(variable: string, known: ReadonlySet<string>): boolean {
  const name = variable.replace(/_FILE$/, '');
  return name !== variable && name.length >= minLength && known.has(name);
}

const suggest = (name: string | undefined) =>
  name === undefined ? ' `tributary settings` lists them.' : ` Did you mean ${name}?`;

/** The nearest setting: one or two edits away, or the same but for case, underscores and unit (`edits` is null). */
function findSimilar(variable: string, known: ReadonlySet<string>) {
  const plain = toPlain(variable);
  const near = [...known]
    .filter((name) => Math.abs(name.length - variable.length) <= 2)
    .map((name) => ({ name, edits: countEdits(variable, name) }));
  const one = near.find(({ edits }) => edits === 1);
  if (one) return one;
  for (const name of known) if (toPlain(name) === plain) return { name, edits: null };
  return near.find(({ name, edits }) => edits === 2 && name.length >= minLengthForTwo);
}

const toPlain = (name: string) =>
  name
    .replace(/_(MS|SECONDS|BYTES|FILE)$/i, '')
    .replaceAll('_', '')
    .toLowerCase();

/** Optimal string alignment distance: characters added, removed or replaced, and neighbours swapped. */
function countEdits(one: string, other: string): number {
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const at = (list: readonly number[], index: number) => list[index] ?? Number.POSITIVE_INFINITY;
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        at(above, column) + 1,
        at(current, column - 1) + 1,
        at(above, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = above;
    above = current;
  }
  return above[other.length] ?? 0;
}

/** What OpenTelemetry's exporter reads from the environment itself. */
const ofExporter =
  /^OTEL_EXPORTER_OTLP_(TRACES_HEADERS|(TRACES_)?(TIMEOUT|COMPRESSION|CERTIFICATE|CLIENT_CERTIFICATE|CLIENT_KEY))$/;

/** A warning about variables of OpenTelemetry that others read, such as `OTEL_SDK_DISABLED`. */
export function warnOfTracing(names: Iterable<string>, known: ReadonlySet<string>): readonly string[] {
  const ignored = [...names].filter(
    (name) => name.startsWith('OTEL_') && !known.has(name) && !ofExporter.test(name),
  );
  return ignored.length === 0
    ? []
    : [
        `Without effect: ${ignored.sort().join(', ')}. Traces are OTLP over HTTP, and on where OTEL_EXPORTER_OTLP_ENDPOINT is set.`,
      ];
}
