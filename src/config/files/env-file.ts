import type { ConfigMistake } from '../config-error.ts';
import { knownVariables } from '../setting-names.ts';
import { nameOfFile } from '../unknown-settings.ts';

export interface EnvFile {
  readonly values: Readonly<Record<string, string>>;
  /** The line of each, such as `.env:3`. */
  readonly places: ReadonlyMap<string, string>;
  readonly mistakes: readonly ConfigMistake[];
}

const assignment = /^(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/;
const quoted = /^(["'`])(.*?)\1\s*(?:#.*)?$/;

/** Reads lines `NAME=value`, empty ones and comments. Mistakes quote no line, since it may be part of a secret. */
export function parseEnvFile(text: string, path: string): EnvFile {
  const values: Record<string, string> = {};
  const places = new Map<string, string>();
  const mistakes: ConfigMistake[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const place = `${path}:${index + 1}`;
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const [, name = '', written = ''] = assignment.exec(trimmed) ?? [];
    const value = name === '' ? null : readValue(written);
    const first = places.get(name);
    const shown = nameOfFile(name, knownVariables);
    const refuse = (message: string) =>
      void mistakes.push({ variable: name || path, message: `${place}: ${message}` });
    if (value === null)
      refuse(
        'expected NAME=value, such as PORT=4000, or a comment that begins with #. Write it so, or remove it.',
      );
    else if (first !== undefined) refuse(`${shown} is set twice, first at ${first}. Remove one.`);
    else if (typeof value !== 'string') refuse(`${shown}: ${value.problem}`);
    else values[name] = value;
    if (name !== '' && first === undefined) places.set(name, place);
  }
  return { values, places, mistakes };
}

/** The value as Node.js reads it from such a file, or what is ambiguous about it. */
function readValue(written: string): string | { readonly problem: string } {
  const [isQuoted, quote, content = ''] = quoted.exec(written) ?? [];
  if (isQuoted !== undefined) return quote === '"' ? content.replaceAll('\\n', '\n') : content;
  if (/^["'`]/.test(written))
    return {
      problem: `the quote ${written[0]} does not end with its line. Close it there, or use another quote.`,
    };
  const value = (written.split(/(?:^|\s)#/, 1)[0] ?? '').trimEnd();
  if (value.includes('#'))
    return { problem: 'a value with # needs quotes. Put it in quotes, or a blank before # for a comment.' };
  return value;
}
