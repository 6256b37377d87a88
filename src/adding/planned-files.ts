import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { explainNoUtf8 } from '../runtime/utf8.ts';
import { AddingError, toPrintable, toPrintableLines } from './adding-error.ts';

/** A file as it is and as it would be. */
export interface PlannedFile {
  /** Relative to the folder that is written to. */
  readonly path: string;
  /** Null where there is none. */
  readonly before: string | null;
  readonly after: string;
}

/** Formats the text of a file as the project's formatter does. */
export type Format = (path: string, text: string) => string;

/** Changes of files, one on another, before any is written. */
export interface Plan {
  change(path: string, change: (text: string) => string): void;
  /** The text of a file as it would be; empty where there is none. */
  read(path: string): string;
  list(): readonly PlannedFile[];
}

export function createPlan(readText: (path: string) => string | null, format: Format): Plan {
  const planned = new Map<string, PlannedFile>();
  const find = (path: string): PlannedFile => {
    const before = readText(path);
    return planned.get(path) ?? { path, before, after: before ?? '' };
  };
  return {
    change(path, change) {
      const file = find(path);
      const text = change(file.after);
      planned.set(path, { ...file, after: text === file.after ? text : format(path, text) });
    },
    read: (path) => find(path).after,
    list: () => [...planned.values()],
  };
}

const biome = 'node_modules/@biomejs/biome/bin/biome';
const maxDiffLength = 60_000;
const diffTimeoutMs = 5_000;

/** The project's Biome, where it is installed; the text as it is where not. */
export function createFormat(folder: string): Format {
  const program = join(folder, biome);
  if (!existsSync(program)) return (_path, text) => text;
  const formatted = new Map<string, string>();
  const format: Format = (path, text) => {
    try {
      return execFileSync(process.execPath, [program, 'format', `--stdin-file-path=${path}`], {
        cwd: folder,
        input: text,
        encoding: 'utf8',
        stdio: ['pipe', 'pipe', 'pipe'],
        maxBuffer: 64 * 1024 * 1024,
      });
    } catch (error) {
      const { stderr, message } = error as Error & { stderr?: string };
      throw new AddingError(`Biome did not format ${path}: ${toPrintable(stderr || message)}`);
    }
  };
  // Starting Biome takes longer than all else that the command does without a service.
  return (path, text) => {
    if (!/\.(ts|json)$/.test(path)) return text;
    const known = formatted.get(path + text) ?? format(path, text);
    formatted.set(path + text, known);
    return known;
  };
}

/** The text of a file; null where there is none. */
export function readTextOrNull(path: string): string | null {
  try {
    // A pipe would never end.
    if (!statSync(path).isFile()) throw new AddingError(`${toPrintable(path)} is not a file.`);
    const bytes = readFileSync(path);
    const fault = explainNoUtf8(bytes);
    if (fault !== null) throw new AddingError(`${toPrintable(path)} cannot be read. ${fault}`);
    return bytes.toString('utf8');
  } catch (error) {
    if (error instanceof AddingError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new AddingError(`${toPrintable(path)} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

export const isChanged = ({ before, after }: PlannedFile): boolean => before !== after;

/** What would change in a file, as a unified diff. */
export function formatDiff({ path, before, after }: PlannedFile): string {
  const options = { context: 2, timeout: diffTimeoutMs } as const;
  const patch = createTwoFilesPatch(path, path, before ?? '', after, undefined, undefined, options);
  if (patch === undefined) return `${path}: too much has changed to show it.\n`;
  const text = toPrintableLines(patch.replace(/^Index: .*\n/, '').replace(/^=+\n/, ''));
  return text.length > maxDiffLength ? `${text.slice(0, maxDiffLength)}\n… and more\n` : text;
}

/** Writes a file as a whole or not at all. */
export function writePlannedFile(folder: string, { path, after }: PlannedFile): void {
  const target = join(folder, path);
  try {
    mkdirSync(dirname(target), { recursive: true });
    const draft = `${target}.${process.pid}.tmp`;
    writeFileSync(draft, after);
    renameSync(draft, target);
  } catch (error) {
    throw new AddingError(
      `${toPrintable(target)} cannot be written: ${(error as NodeJS.ErrnoException).code}.`,
    );
  }
}
