import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  createTrustedDocuments,
  type DocumentReference,
} from '../../../../src/server/guard/trusted-documents.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const trusted = '{ companies { totalCount } }';
const hash = sha256(trusted);
const other = '{ __typename }';

const manifest = { [hash]: trusted, 'by-name': other };

function textOf(documents: typeof manifest | null, reference: DocumentReference) {
  try {
    return createTrustedDocuments(documents)(reference);
  } catch (error) {
    const { code, errors } = error as { code: string; errors: string[] };
    return `${code}: ${errors[0]}`;
  }
}

const apollo = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } });

describe('with a manifest', () => {
  test.each([
    ['an id', { documentId: hash }],
    ['an id with its algorithm', { documentId: `sha256:${hash}` }],
    ['the hash of Apollo clients', apollo(hash)],
    ['its text', { query: trusted }],
    ['its text and the hash of Apollo clients', { query: trusted, ...apollo(hash) }],
  ])('a trusted document is found by %s', (_how, reference) => {
    expect(textOf(manifest, reference)).toBe(trusted);
  });

  test.each([
    ['an id that is unknown', { documentId: 'x' }],
    ['an id that is no text', { documentId: { hash } }],
    ['the name of something every object has', { documentId: '__proto__' }],
  ])('no document is found by %s', (_how, reference) => {
    expect(textOf(manifest, reference)).toContain('DOCUMENT_NOT_TRUSTED: No trusted document has this id.');
  });

  test("an unknown persisted-query hash gets the message that Apollo's clients expect", () => {
    expect(textOf(manifest, apollo('x'))).toBe('DOCUMENT_NOT_TRUSTED: PersistedQueryNotFound');
  });
});

test('with a manifest, other documents are rejected, however similar', () => {
  for (const query of ['{ other: __typename }', `${trusted} `, `${trusted}#`])
    expect(textOf(manifest, { query })).toContain('DOCUMENT_NOT_TRUSTED: The document is not trusted.');
  expect(textOf(manifest, { query: `${trusted} `, ...apollo(hash) })).toContain('DOCUMENT_NOT_TRUSTED');
});

test('without a manifest, documents are accepted by text only', () => {
  expect(textOf(null, { query: '{ other }' })).toBe('{ other }');
  expect(textOf(null, { query: '{ other }', ...apollo('x') })).toBe('{ other }');
  expect(textOf(null, { documentId: hash })).toContain('DOCUMENT_NOT_TRUSTED: Trusted documents are off');
  expect(textOf(null, apollo(hash))).toBe('DOCUMENT_NOT_TRUSTED: PersistedQueryNotSupported');
});

test.each([[{}], [{ query: '' }], [{ query: ['{ a }'] }]])(
  'a request like %j asks for nothing',
  (reference) => {
    for (const documents of [manifest, null])
      expect(textOf(documents, reference)).toContain('BAD_USER_INPUT: The request names no document.');
  },
);
