import { RejectionError } from '../rejection.ts';

/** A request's document: its text, its id, or Apollo's persisted-query hash, with or without the text. */
export interface DocumentReference {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}

/** Returns the text of the requested document. Throws `RejectionError`. */
export type TrustedDocuments = (reference: DocumentReference) => string;

/** Accepts only the documents of a manifest, which maps ids to texts; with null, any document. */
export function createTrustedDocuments(manifest: Readonly<Record<string, string>> | null): TrustedDocuments {
  const byId = new Map(Object.entries(manifest ?? {}).map(([id, text]) => [withoutAlgorithm(id), text]));
  const texts = new Set(byId.values());

  return ({ query: sentQuery, documentId, extensions }) => {
    // The WebSocket protocol requires `query`, so clients send an empty one with an id.
    const query = sentQuery === '' ? undefined : sentQuery;
    const id = documentId ?? (query === undefined ? persistedQueryHash(extensions) : undefined);
    if (id === undefined) {
      if (typeof query !== 'string') throw new RejectionError('BAD_USER_INPUT', documentMissing);
      if (manifest !== null && !texts.has(query))
        throw new RejectionError('DOCUMENT_NOT_TRUSTED', trustedOnly);
      return query;
    }
    const text = typeof id === 'string' ? byId.get(withoutAlgorithm(id)) : undefined;
    if (text !== undefined) return text;
    if (documentId === undefined) throw persistedQueryError(manifest === null ? 'NotSupported' : 'NotFound');
    throw new RejectionError(
      'DOCUMENT_NOT_TRUSTED',
      manifest === null ? trustedDocumentsOff : unknownDocumentId,
    );
  };
}

const documentMissing =
  'The request names no document. Send its text as `query`, or the id of a trusted one as `documentId`.';
const trustedOnly =
  'The document is not trusted. Send the `documentId` of one in the manifest (TRUSTED_DOCUMENTS).';
const trustedDocumentsOff =
  'Trusted documents are off (TRUSTED_DOCUMENTS). Send the document as the text `query`.';
const unknownDocumentId = 'No trusted document has this id. Send the `documentId` of one in the manifest.';

// Apollo's clients react to these messages by sending the text. Some read only responses with status 200.
const persistedQueryError = (why: 'NotSupported' | 'NotFound') =>
  Object.assign(new RejectionError('DOCUMENT_NOT_TRUSTED', `PersistedQuery${why}`), { status: 200 });

const withoutAlgorithm = (id: string) => id.replace(/^sha\d+:/, '');

function persistedQueryHash(extensions: unknown): unknown {
  const { persistedQuery } = (extensions ?? {}) as { persistedQuery?: { sha256Hash?: unknown } };
  return persistedQuery?.sha256Hash;
}
