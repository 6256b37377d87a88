import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { Refused } from './refusal.ts';

export interface TrustedDocumentOptions {
  readonly mode: 'off' | 'prefer' | 'require';
  /** Documents by their ids. */
  readonly manifest: Readonly<Record<string, string>>;
  readonly log: Logger;
}

/** How a request names its document: by its text, by an id, or as Apollo's clients do, by a hash or both. */
export interface DocumentReference {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}

/** The text of the document a request asks for. Throws `Refused`. */
export type TrustedDocuments = (reference: DocumentReference, requestId?: string) => string;

export function createTrustedDocuments({ mode, manifest, log }: TrustedDocumentOptions): TrustedDocuments {
  const byId = new Map(Object.entries(manifest).map(([id, text]) => [withoutAlgorithm(id), text]));
  const texts = new Set(byId.values());

  return ({ query: given, documentId, extensions }, requestId) => {
    // Over WebSocket the text must be there, although it be empty.
    const query = given === '' ? undefined : given;
    const id = documentId ?? (query === undefined ? hashIn(extensions) : undefined);
    if (id === undefined) {
      if (typeof query !== 'string') throw new Refused('BAD_USER_INPUT', noDocument);
      if (mode !== 'off' && !texts.has(query)) {
        if (mode === 'require') throw new Refused('DOCUMENT_NOT_TRUSTED', onlyTrusted);
        log.info(
          { requestId, documentId: `sha256:${sha256(query)}` },
          'document is not among the trusted ones',
        );
      }
      return query;
    }
    const text = typeof id === 'string' && mode !== 'off' ? byId.get(withoutAlgorithm(id)) : undefined;
    if (text !== undefined) return text;
    if (documentId === undefined) throw sendText(mode === 'off' ? 'NotSupported' : 'NotFound');
    throw new Refused('DOCUMENT_NOT_TRUSTED', mode === 'off' ? noTrusted : unknownId);
  };
}

const noDocument = 'Send the document as the text `query`, or the id of a trusted one as `documentId`.';
const onlyTrusted =
  'Only documents of the manifest are carried out here. Send the id of one as `documentId`.';
const noTrusted = 'There are no trusted documents here. Send the document as the text `query`.';
const unknownId = 'There is no document of that id in the manifest.';

// Apollo's clients know these words and send the text, too. Some read no answer but one of status 200.
const sendText = (why: 'NotSupported' | 'NotFound') =>
  Object.assign(new Refused('DOCUMENT_NOT_TRUSTED', `PersistedQuery${why}`), { status: 200 });

const withoutAlgorithm = (id: string) => id.replace(/^sha\d+:/, '');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function hashIn(extensions: unknown): unknown {
  const { persistedQuery } = (extensions ?? {}) as { persistedQuery?: { sha256Hash?: unknown } };
  return persistedQuery?.sha256Hash;
}
