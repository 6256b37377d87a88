import { type RecordTypeFile, routePattern } from '../business/record-files/record-file.ts';
import type { RecordTypeDescriptor } from '../business/record-type.ts';
import type { OutboundFetch } from '../http/wire/outbound-fetch.ts';
import { toPrintable, usageError } from './adding-error.ts';
import type { DraftRecordFiles } from './draft.ts';
import { parseServiceUrl, type ServiceAddress } from './metadata-source.ts';

/** The arguments of `tributary add`. */
export interface AddArguments {
  readonly entitySets: readonly string[];
  readonly metadata?: string;
  readonly url?: string;
  readonly tokenFile?: string;
  readonly route?: string;
  readonly json?: boolean;
  readonly out?: string;
  readonly update?: boolean;
  readonly dryRun?: boolean;
  readonly allowBreaking?: boolean;
  readonly probe?: boolean;
  readonly probeWrites?: boolean;
  readonly yesWrite?: string;
  readonly writeValues?: string;
  readonly company?: string;
  readonly maxCalls?: string;
}

/** What the command works with. */
export interface AddingContext {
  readonly folder: string;
  readonly draft: DraftRecordFiles;
  readonly recordTypes: readonly RecordTypeDescriptor[];
  /** The record files that belong to the product. */
  readonly productFiles: readonly RecordTypeFile[];
  /** Every type of the graph, those that no descriptor names included. */
  readonly typeNames: ReadonlySet<string>;
  readonly fetch: OutboundFetch;
  /** As `2026-01-31`. */
  readonly today: string;
  /** The result goes to stdout, what is said of it to stderr where stdout is the record file. */
  print(text: string): void;
  note(text: string): void;
}

/** The arguments, checked. */
export interface AddRequest extends AddArguments {
  readonly address: ServiceAddress | null;
  readonly route: string;
  readonly calls: number;
  readonly isWriting: boolean;
}

const defaultRoute = 'v2.0';
const defaultCalls = 300;
const maxCalls = 5_000;
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
// OData, section 15.1: an identifier; nothing else can be an entity set.
const entitySetName = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}]{0,127}$/u;

/** Checks the arguments together. Throws an `AddingError` with the exit code 2. */
export function checkArguments(args: AddArguments): AddRequest {
  const { metadata, url, json, out, update, route } = args;
  for (const name of args.entitySets)
    if (!entitySetName.test(name) || name === '__proto__')
      throw usageError(`${JSON.stringify(toPrintable(name))} is not the name of an entity set.`);
  if (new Set(args.entitySets).size < args.entitySets.length)
    throw usageError('An entity set is named twice.');
  if (metadata === undefined && url === undefined)
    throw usageError('Name the metadata with --metadata <file>, or the service with --url <url>.');
  if (metadata !== undefined && url !== undefined && !args.probe && !args.probeWrites)
    throw usageError(
      '--metadata and --url both name the metadata. Leave out one of them, or add --probe to ask the service of --url.',
    );
  if (url === undefined && args.tokenFile !== undefined) throw usageError('--token-file needs --url.');
  if (out !== undefined && !json)
    throw usageError('--out needs --json: in a checkout the folders are known.');
  if (json && out === undefined && args.entitySets.length > 1)
    throw usageError('Several record files need a folder: add --out <folder>.');
  if (json && out === undefined && update)
    throw usageError(
      '--update compares with the files of a folder: add --out <folder>, or leave out --json.',
    );
  if (args.allowBreaking && !update) throw usageError('--allow-breaking needs --update.');
  checkProbe(args);
  const address = url === undefined ? null : parseServiceUrl(url);
  if (route !== undefined && !routePattern.test(route))
    throw usageError(
      `--route is ${JSON.stringify(toPrintable(route))}: expected v2.0 or {publisher}/{group}/v1.0.`,
    );
  if (address?.route && route !== undefined && address.route !== route)
    throw usageError(`--url names the route ${address.route}, and --route ${route}. Leave out one of them.`);
  const calls = Number(args.maxCalls ?? defaultCalls);
  if (!Number.isInteger(calls) || calls < 1 || calls > maxCalls)
    throw usageError(
      `--max-calls is ${JSON.stringify(toPrintable(String(args.maxCalls)))}: expected 1 to ${maxCalls}.`,
    );
  return {
    ...args,
    address,
    route: address?.route ?? route ?? defaultRoute,
    calls,
    isWriting: args.probeWrites === true,
  };
}

function checkProbe({ probe, probeWrites, url, company, yesWrite, writeValues }: AddArguments): void {
  if ((probe || probeWrites) && url === undefined)
    throw usageError('--probe needs --url, the service to ask.');
  if (company !== undefined && !guid.test(company)) throw usageError('--company is not a GUID.');
  if (probeWrites && yesWrite === undefined)
    throw usageError(
      '--probe-writes makes records in a company and deletes them. Say which one with --yes-write <companyId>.',
    );
  if (yesWrite !== undefined && !guid.test(yesWrite))
    throw usageError('--yes-write is not the id of a company, a GUID.');
  if (yesWrite !== undefined && !probeWrites) throw usageError('--yes-write needs --probe-writes.');
  if (yesWrite !== undefined && company !== undefined && company.toLowerCase() !== yesWrite.toLowerCase())
    throw usageError('--company and --yes-write name different companies.');
  if (writeValues !== undefined && !probeWrites) throw usageError('--write-values needs --probe-writes.');
}
