import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { explainNoUtf8 } from '../../runtime/text.ts';
import type { Mistake } from './mistakes.ts';

/** The text of a file of declarations, with the path that messages name it by. */
export interface DeclarationText {
  readonly file: string;
  readonly text: string;
}

/** Bounds of what is read at the start: a whole company has about a hundred entity sets of 10 kB each. */
const maxFiles = 500;
const maxFileBytes = 1_000_000;
const maxTotalBytes = 32_000_000;

/**
 * Reads the files of paths relative to `folder`, each file once and in the order of the paths. `*` stands for any part of a
 * file's name, and a folder for its files `*.graphql`. Links are followed, as those of a mounted ConfigMap; hidden files are left out.
 */
export function readDeclarationFiles(
  paths: readonly string[],
  folder: string,
): { readonly texts: readonly DeclarationText[]; readonly mistakes: readonly Mistake[] } {
  const mistakes: Mistake[] = [];
  const texts: DeclarationText[] = [];
  const files = new Map<string, string>();
  for (const path of paths) {
    const found = listFiles(path, folder);
    if (typeof found === 'string') mistakes.push({ file: path, place: null, message: found });
    else for (const file of found) files.set(resolve(folder, file), file);
  }
  if (files.size > maxFiles)
    return {
      texts,
      mistakes: [
        {
          file: paths.join(', '),
          place: null,
          message: `${files.size} files are more than ${maxFiles}. Name fewer.`,
        },
      ],
    };
  let total = 0;
  for (const [absolute, file] of files) {
    const size = sizeOf(absolute);
    total += typeof size === 'number' ? size : 0;
    const fault = typeof size === 'number' ? findSizeFault(size, total) : size;
    if (fault !== null) {
      mistakes.push({ file, place: null, message: fault });
      continue;
    }
    try {
      const bytes = readFileSync(absolute);
      const message = explainNoUtf8(bytes);
      if (message === null) texts.push({ file, text: bytes.toString('utf8') });
      else mistakes.push({ file, place: null, message });
    } catch (error) {
      mistakes.push({ file, place: null, message: describeFailure(error) });
    }
  }
  return { texts, mistakes };
}

/** The paths that a path stands for; or what is wrong with it. */
function listFiles(path: string, folder: string): readonly string[] | string {
  const isFolder = statSync(resolve(folder, path), { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) return listFiles(join(path, '*.graphql'), folder);
  if (!path.includes('*')) return [path];
  const parent = dirname(path);
  if (parent.includes('*')) return 'A `*` can stand in the name of a file, not in that of a folder.';
  const parts = basename(path)
    .split('*')
    .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  const pattern = new RegExp(`^(?!\\.)${parts.join('.*')}$`, 's');
  try {
    const names = readdirSync(resolve(folder, parent)).filter((name) => pattern.test(name));
    return names.length === 0
      ? 'No file has such a name. Correct the path, or remove it.'
      : names.sort().map((name) => join(parent, name));
  } catch (error) {
    return describeFailure(error);
  }
}

/** Asked before it is read: a pipe would never end. */
function sizeOf(path: string): number | string {
  try {
    const status = statSync(path);
    return status.isFile() ? status.size : 'It is not a file.';
  } catch (error) {
    return describeFailure(error);
  }
}

const findSizeFault = (size: number, total: number): string | null => {
  if (size > maxFileBytes) return `${size} bytes are more than ${maxFileBytes}. Split it, or remove fields.`;
  return total > maxTotalBytes
    ? `With it, the files have more than ${maxTotalBytes} bytes. Name fewer.`
    : null;
};

function describeFailure(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT')
    return 'It does not exist. Correct the path; relative ones start at the working directory.';
  if (code === 'EACCES' || code === 'EPERM') return 'It cannot be read: permission denied.';
  return `It cannot be read: ${code ?? (error as Error).message}.`;
}
