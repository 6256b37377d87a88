import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Mistake } from './mistakes.ts';

/** The text of a file of declarations, and its path in messages. */
export interface DeclarationText {
  readonly file: string;
  readonly text: string;
}

/**
 * Reads files, each once and in the order of `paths`, which are relative to `folder`. A path of a folder stands for its files
 * `*.graphql`. Follows links, such as those of a mounted ConfigMap; skips hidden files.
 */
export function readDeclarationFiles(
  paths: readonly string[],
  folder: string,
): { readonly texts: readonly DeclarationText[]; readonly mistakes: readonly Mistake[] } {
  const mistakes: Mistake[] = [];
  const texts = new Map<string, DeclarationText>();
  const catchFailure = (file: string, read: () => void) => {
    try {
      read();
    } catch (error) {
      mistakes.push({ file, place: null, message: describeFailure(error as NodeJS.ErrnoException) });
    }
  };
  for (const path of paths)
    catchFailure(path, () => {
      const files = listFiles(path, folder);
      if (files.length === 0)
        mistakes.push({
          file: path,
          place: null,
          message: 'The folder has no file `*.graphql`. Correct the path.',
        });
      for (const file of files)
        catchFailure(file, () => {
          const absolute = resolve(folder, file);
          const bytes = readFileSync(absolute);
          if (isUtf8(bytes)) texts.set(absolute, { file, text: bytes.toString() });
          else mistakes.push({ file, place: null, message: 'It is not text in UTF-8. Save it as UTF-8.' });
        });
    });
  return { texts: [...texts.values()], mistakes };
}

function listFiles(path: string, folder: string): readonly string[] {
  const absolute = resolve(folder, path);
  if (!statSync(absolute).isDirectory()) return [path];
  const names = readdirSync(absolute).filter((name) => name.endsWith('.graphql') && !name.startsWith('.'));
  return names.sort().map((name) => join(path, name));
}

function describeFailure({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT')
    return 'It does not exist. Correct the path; relative ones start at the working directory.';
  if (code === 'EACCES' || code === 'EPERM') return 'It cannot be read: permission denied.';
  return `It cannot be read: ${code ?? message}.`;
}
