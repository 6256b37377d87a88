import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createTrustedDocuments, type DocumentReference } from '../../../src/server/trusted-documents.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const trusted = '{ companies { totalCount } }';
const hash = sha256(trusted);
const other = '{ __typename }';

function textOf(mode: 'off' | 'prefer' | 'require', reference: DocumentReference, lines: string[] = []) {
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
  const textFor = createTrustedDocuments({ mode, manifest: { [hash]: trusted, 'by-name': other }, log });
  try {
    return textFor(reference, 'r-1');
  } catch (error) {
    const { code, faults } = error as { code: string; faults: string[] };
    return `${code}: ${faults[0]}`;
  }
}

const apollo = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } });

describe.each(['prefer', 'require'] as const)('where trusted documents are %sd', (mode) => {
  test.each([
    ['an id', { documentId: hash }],
    ['an id with its algorithm', { documentId: `sha256:${hash}` }],
    ['the hash of Apollo clients', apollo(hash)],
    ['its text', { query: trusted }],
    ['its text and the hash of Apollo clients', { query: trusted, ...apollo(hash) }],
  ])('one is found by %s', (_how, reference) => {
    expect(textOf(mode, reference)).toBe(trusted);
  });

  test.each([
    ['an id that is unknown', { documentId: 'x' }],
    ['an id that is unknown, beside a text', { documentId: 'x', query: trusted }],
    ['an id that is no text', { documentId: { hash } }],
    ['the name of something every object has', { documentId: '__proto__' }],
    ['the name of a method every object has', { documentId: 'constructor' }],
  ])('nothing is found by %s', (_how, reference) => {
    expect(textOf(mode, reference)).toBe(
      'DOCUMENT_NOT_TRUSTED: There is no document of that id in the manifest.',
    );
  });

  test('an unknown hash of Apollo clients is answered in the words they know', () => {
    expect(textOf(mode, apollo('x'))).toBe('DOCUMENT_NOT_TRUSTED: PersistedQueryNotFound');
  });
});

test('where they are preferred, others are taken and their hash is logged, never their text', () => {
  const lines: string[] = [];

  expect(textOf('prefer', { query: '{ secret: __typename }' }, lines)).toBe('{ secret: __typename }');
  expect(lines.join('')).toContain(sha256('{ secret: __typename }'));
  expect(lines.join('')).toContain('"requestId":"r-1"');
  expect(lines.join('')).not.toContain('secret');
});

test('where they are required, others are refused, however like one they look', () => {
  for (const query of ['{ other: __typename }', `${trusted} `, `${trusted}#`])
    expect(textOf('require', { query })).toContain('DOCUMENT_NOT_TRUSTED: Only documents of the manifest');
  expect(textOf('require', { query: `${trusted} `, ...apollo(hash) })).toContain('DOCUMENT_NOT_TRUSTED');
});

test('where there are none, a document is taken by its text alone', () => {
  expect(textOf('off', { query: '{ other }' })).toBe('{ other }');
  expect(textOf('off', { query: '{ other }', ...apollo('x') })).toBe('{ other }');
  expect(textOf('off', { documentId: hash })).toContain(
    'DOCUMENT_NOT_TRUSTED: There are no trusted documents here',
  );
  expect(textOf('off', apollo(hash))).toBe('DOCUMENT_NOT_TRUSTED: PersistedQueryNotSupported');
});

test.each([[{}], [{ query: '' }], [{ query: 7 }], [{ query: null }], [{ query: ['{ a }'] }]])(
  'a request like %j asks for nothing',
  (reference) => {
    for (const mode of ['off', 'prefer', 'require'] as const)
      expect(textOf(mode, reference)).toContain('BAD_USER_INPUT: Send the document as the text `query`');
  },
);
