import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { odataNamePattern, routePattern } from '../business/record-files/record-file.ts';
import type { OutboundFetch } from '../http/wire/outbound-fetch.ts';
import { MetadataError } from '../metadata/csdl/metadata-error.ts';
import { parseMetadata } from '../metadata/csdl/parse-metadata.ts';
import { draftRecordFile, type ExistingGraph, type RecordFileDraft } from '../metadata/draft-record-file.ts';
import { AddingError, toPrintable, usageError } from './adding-error.ts';
import { fetchMetadata, parseServiceUrl, readMetadataFile, readToken } from './metadata-source.ts';

/** The arguments of `tributary add`. */
export interface AddArguments {
  /** As the metadata spells it. */
  readonly entitySet: string;
  /** A CSDL file, in place of `url`. */
  readonly metadata?: string;
  /** A service: its base URL, that of an API (`…/api/v2.0`), or that of its `$metadata`. */
  readonly url?: string;
  /** Holds the bearer token for the service. */
  readonly tokenFile?: string;
  /** `v2.0` by default, or `{publisher}/{group}/{version}` of a custom API. */
  readonly route?: string;
  /** The folder of the file; `records` by default. */
  readonly out?: string;
}

/** What the command works with. */
export interface AddingContext {
  readonly graph: ExistingGraph;
  readonly fetch: OutboundFetch;
  print(text: string): void;
}

/** Runs `tributary add`. Throws an `AddingError` where nothing was written. */
export async function addRecordType(
  args: AddArguments,
  { graph, fetch, print }: AddingContext,
): Promise<void> {
  const { entitySet, metadata, url, tokenFile, out = 'records' } = args;
  const route = checkArguments(args);
  const path = join(out, `${entitySet}.json`);
  if (existsSync(path))
    throw new AddingError(
      `${toPrintable(path)} exists, and is not overwritten. Remove it, or name another folder with --out.`,
    );
  const existing = graph.known.find((each) => each.route === route && each.entitySet === entitySet);
  if (existing)
    throw usageError(`${entitySet} of ${route} is the type ${existing.type} of the graph already.`);
  const csdl =
    metadata === undefined
      ? await fetchMetadata(
          { url: parseServiceUrl(url ?? '').url, route },
          tokenFile === undefined ? null : readToken(tokenFile),
          fetch,
        )
      : readMetadataFile(metadata);
  const { file, review } = draft(csdl, entitySet, route, graph);
  write(path, `${JSON.stringify(file, null, 2)}\n`);
  print(`Wrote ${toPrintable(path)}: the type ${file.type}.\n\nReview it before RECORD_TYPES names it:`);
  for (const note of review) print(`- ${toPrintable(note)}`);
}

/** Checks the arguments together, and returns the route. Throws an `AddingError` with the exit code 2. */
function checkArguments({ entitySet, metadata, url, tokenFile, route }: AddArguments): string {
  if (!odataNamePattern.test(entitySet))
    throw usageError(`${JSON.stringify(toPrintable(entitySet))} is not the name of an entity set.`);
  if ((metadata === undefined) === (url === undefined))
    throw usageError('Name the metadata with --metadata <file>, or the service with --url <url>.');
  if (url === undefined && tokenFile !== undefined) throw usageError('--token-file needs --url.');
  if (route !== undefined && !routePattern.test(route))
    throw usageError(
      `--route is ${JSON.stringify(toPrintable(route))}: expected v2.0 or {publisher}/{group}/v1.0.`,
    );
  const named = url === undefined ? null : parseServiceUrl(url).route;
  if (named !== null && route !== undefined && named !== route)
    throw usageError(`--url names the route ${named}, and --route ${route}. Leave out one of them.`);
  return named ?? route ?? 'v2.0';
}

function draft(csdl: Uint8Array, entitySet: string, route: string, graph: ExistingGraph): RecordFileDraft {
  try {
    return draftRecordFile(parseMetadata(csdl), entitySet, { route, graph });
  } catch (error) {
    if (error instanceof MetadataError) throw new AddingError(toPrintable(error.message));
    throw error;
  }
}

function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    throw new AddingError(
      `${toPrintable(path)} cannot be written: ${(error as NodeJS.ErrnoException).code}.`,
    );
  }
}
