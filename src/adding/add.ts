import { isDeepStrictEqual } from 'node:util';
import type { RecordFile, RecordTypeFile } from '../business/record-files/record-file.ts';
import { AddingError, toPrintable, usageError } from './adding-error.ts';
import { type DraftOptions, type KnownType, listKnownTypes } from './draft.ts';
import { mergeDraft } from './merge.ts';
import { fetchMetadata, type Metadata, readMetadataFile, readToken } from './metadata-source.ts';
import { probeReads } from './probe/probe.ts';
import { probeWrites } from './probe/probe-writes.ts';
import { printRecordFile, requireRecordFile } from './record-file-text.ts';
import type { AddArguments, AddingContext, AddRequest } from './request.ts';
import { checkArguments } from './request.ts';
import { createService, type Service } from './service.ts';
import { createTarget, type Target } from './target.ts';
import { writeChanges } from './write-changes.ts';

const timeoutMs = 30_000;
const maxWaitMs = 5 * 60_000;
const maxGuessedWaitMs = 60_000;

/**
 * Runs `tributary add`. Returns the exit code: 0 where everything is as it should be, 1 where something differs and was not
 * written. Throws an `AddingError` where nothing was written.
 */
export async function addRecordTypes(args: AddArguments, context: AddingContext): Promise<0 | 1> {
  const request = checkArguments(args);
  const target = createTarget(request, context);
  const service = createRequestedService(request, context);
  const metadata = await readMetadata(request, service);
  const known = listKnown(request, context, target);
  const { files, notes } = draftFiles(request, context, metadata, {
    known,
    taken: listTaken(request, context, target),
  });
  for (const note of [...metadata.notes, ...notes]) context.note(toPrintable(note));
  const pairs = [];
  for (const [index, draft] of files.entries()) {
    const name = request.entitySets[index];
    if (draft.entitySet !== name)
      throw new AddingError(`The metadata has no entity set ${name}: its names are case-sensitive.`);
    const existing = target.read(name);
    const merged = existing === null ? draft : mergeDraft(existing, draft);
    const found = service === null ? merged : await askService(merged, service, request, context);
    const next = requireRecordFile(JSON.parse(JSON.stringify(found)), `What was made for ${name}`);
    reportTakenNames(next, existing, target, context);
    pairs.push({ name, existing, next: existing && isSame(existing, next) ? existing : next });
  }
  if (service !== null && service.calls > 0) context.note(`${service.calls} calls to ${service.url}.`);
  if (request.json && request.out === undefined) {
    for (const { next } of pairs) context.print(printRecordFile(next).trimEnd());
    return 0;
  }
  return writeChanges(pairs, target, request, context);
}

function draftFiles(
  { entitySets, route }: AddRequest,
  { draft, today }: AddingContext,
  { csdl, definitions, source }: Metadata,
  graph: Pick<DraftOptions, 'known' | 'taken'>,
): ReturnType<AddingContext['draft']> {
  const options = { route, ...graph, ...(definitions !== undefined && { definitions }), date: today, source };
  try {
    return draft(csdl, entitySets, options);
  } catch (error) {
    // Any other error is a bug, and has its own name.
    const { name, message } = error as Error;
    if (name !== 'Error' && name !== 'MetadataError') throw error;
    throw new AddingError(toPrintable(name === 'MetadataError' ? `${source}: ${message}` : message, 900));
  }
}

function createRequestedService(
  { address, tokenFile, calls }: AddRequest,
  { fetch, note }: AddingContext,
): Service | null {
  if (address === null) return null;
  return createService({
    url: address.url,
    token: tokenFile === undefined ? null : readToken(tokenFile),
    fetch,
    maxCalls: calls,
    timeoutMs,
    maxWaitMs,
    maxGuessedWaitMs,
    onWait: (seconds) => note(`The service is throttling this caller: waiting ${seconds} s.`),
  });
}

async function readMetadata({ metadata, route }: AddRequest, service: Service | null): Promise<Metadata> {
  if (metadata !== undefined) return readMetadataFile(metadata);
  if (service === null)
    throw usageError('Name the metadata with --metadata <file>, or the service with --url <url>.');
  return fetchMetadata(service, route);
}

/** The types that relations can lead to. Those that are drafted now keep their names. */
function listKnown(
  request: AddRequest,
  { recordTypes, productFiles }: AddingContext,
  target: Target,
): readonly KnownType[] {
  // In a checkout, the files of the product are those that are written.
  const fixed = listKnownTypes(recordTypes, target.isCheckout ? [] : productFiles);
  const own = fixed.find(
    ({ entitySet, route }) => route === request.route && request.entitySets.includes(entitySet),
  );
  if (own) throw usageError(`${own.entitySet} is the type ${own.type} of the graph already.`);
  return [...fixed, ...listKnownTypes([], target.readOthers())];
}

async function askService(
  file: RecordFile,
  service: Service,
  request: AddRequest,
  { today, note }: AddingContext,
): Promise<RecordFile> {
  if (!request.probe && !request.isWriting) return file;
  const options = { company: request.company ?? request.yesWrite ?? null, today, note };
  const read = request.probe ? await probeReads(file, service, options) : file;
  if (!request.isWriting || request.yesWrite === undefined) return read;
  return probeWrites(read, service, { ...options, company: request.yesWrite, values: request.writeValues });
}

/**
 * Names that the graph has, apart from those that the same file had before. A file of its own can be changed before
 * RECORD_TYPES names it; one in a checkout would stop every start.
 */
function reportTakenNames(
  next: RecordFile,
  existing: RecordFile | null,
  target: Target,
  { typeNames, note }: AddingContext,
): void {
  const own = new Set(namesOf(existing));
  const taken = namesOf(next).filter((name) => typeNames.has(name) && !own.has(name));
  if (taken.length === 0) return;
  const what = `The graph has ${taken.join(', ')} already.`;
  if (target.isCheckout)
    throw new AddingError(
      `${what} Make the record file with --json, change these names in it, and put it into schema/records.`,
    );
  note(`${what} Change these names in the file before RECORD_TYPES names it.`);
}

const namesOf = (file: RecordFile | null): readonly string[] =>
  file === null ? [] : [...typesOf(file), ...Object.keys(file.enums ?? {})];

/** The names of the graph that a draft has to avoid: those of the files that are made again stay theirs. */
function listTaken(
  { entitySets }: AddRequest,
  { typeNames }: AddingContext,
  target: Target,
): readonly string[] {
  const own = new Set(entitySets.flatMap((name) => namesOf(target.read(name))));
  return [...typeNames].filter((name) => !own.has(name));
}

const typesOf = ({ type, rows = {} }: RecordTypeFile) => [
  type,
  ...Object.values(rows).map((row) => row.type),
];

/** Whether two record files say the same, whenever and wherever it was read. */
function isSame(existing: RecordFile, next: RecordFile): boolean {
  const timeless = ({ origin, ...rest }: RecordFile) => ({
    ...rest,
    notes: origin?.notes,
    probed: origin?.probed,
  });
  return isDeepStrictEqual(timeless(existing), timeless(next));
}
