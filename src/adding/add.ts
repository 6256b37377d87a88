import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { odataNamePattern, routePattern } from '../business/declarations/mistakes.ts';
import { draftDeclaration, type KnownType } from './draft.ts';
import { parseMetadata } from './metadata.ts';
import { AddingError } from './xml.ts';

/** The arguments of `tributary add`. */
export interface AddArguments {
  /** As the metadata spells it. */
  readonly entitySet: string;
  /** A CSDL file. */
  readonly metadata: string;
  /** `v2.0` by default, or `{publisher}/{group}/{version}` of a custom API. */
  readonly route?: string;
  /** The folder of the file; `records` by default. */
  readonly out?: string;
}

/** Drafts a file, and returns the text to print. `known` are the record types of the graph. Throws an `AddingError`. */
export function addRecordType(
  { entitySet, metadata, route = 'v2.0', out = 'records' }: AddArguments,
  known: readonly KnownType[],
): string {
  if (!odataNamePattern.test(entitySet))
    throw new AddingError(`${JSON.stringify(entitySet)} is not the name of an entity set.`, 2);
  if (!routePattern.test(route))
    throw new AddingError(
      `--route is ${JSON.stringify(route)}: expected v2.0 or {publisher}/{group}/v1.0.`,
      2,
    );
  const path = join(out, `${entitySet}.graphql`);
  if (existsSync(path))
    throw new AddingError(
      `${path} exists, and is not overwritten. Remove it, or name another folder with --out.`,
    );
  const existing = known.find((each) => each.route === route && each.entitySet === entitySet);
  if (existing)
    throw new AddingError(`${entitySet} of ${route} is the type ${existing.type} of the graph already.`, 2);
  const declaration = draftDeclaration(parseMetadata(readMetadata(metadata)), entitySet, { route, known });
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, declaration, { flag: 'wx' });
  } catch (error) {
    throw new AddingError(`${path} cannot be written: ${(error as NodeJS.ErrnoException).code}.`);
  }
  return [
    `Wrote ${path}. Review it before RECORD_TYPES names it:`,
    ...[...declaration.matchAll(/^#(.*)$/gm)].map(([, sentence]) => `-${sentence}`),
  ].join('\n');
}

function readMetadata(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new AddingError(`--metadata ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`, 2);
  }
}
