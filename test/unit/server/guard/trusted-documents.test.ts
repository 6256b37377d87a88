import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import {
  createTrustedDocuments,
  type DocumentReference,
} from '../../../../src/server/guard/trusted-documents.ts';

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
    const { code, errors } = error as { code: string; errors: string[] };
    return `${code}: ${errors[0]}`;
  }
}

const apollo = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } });

describe.each(['prefer', 'require'] as const)('with the mode "%s"', (mode) => {
  test.each([
    ['an id', { documentId: hash }],
    ['an id with its algorithm', { documentId: `sha256:${hash}` }],
    ['the hash of Apollo clients', apollo(hash)],
    ['its text', { query: trusted }],
    ['its text and the hash of Apollo clients', { query: trusted, ...apollo(hash) }],
  ])('a trusted document is found by %s', (_how, reference) => {
    expect(textOf(mode, reference)).toBe(trusted);
  });

  test.each([
    ['an id that is unknown', { documentId: 'x' }],
    ['an id that is unknown, beside a text', { documentId: 'x', query: trusted }],
    ['an id that is no text', { documentId: { hash } }],
    ['the name of something every object has', { documentId: '__proto__' }],
    ['the name of a method every object has', { documentId: 'constructor' }],
  ])('no document is found by %s', (_how, reference) => {
    expect(textOf(mode, reference)).toContain('DOCUMENT_NOT_TRUSTED: No trusted document has this id.');
  });

  test("an unknown persisted-query hash gets the message that Apollo's clients expect", () => {
    expect(textOf(mode, apollo('x'))).toBe('DOCUMENT_NOT_TRUSTED: PersistedQueryNotFound');
  });
});

test('"prefer" accepts other documents, and logs their hash but not their text', () => {
  const lines: string[] = [];

  expect(textOf('prefer', { query: '{ secret: __typename }' }, lines)).toBe('{ secret: __typename }');
  expect(lines.join('')).toContain(sha256('{ secret: __typename }'));
  expect(lines.join('')).toContain('"requestId":"r-1"');
  expect(lines.join('')).not.toContain('secret');
});

test('"require" rejects other documents, however similar', () => {
  for (const query of ['{ other: __typename }', `${trusted} `, `${trusted}#`])
    expect(textOf('require', { query })).toContain('DOCUMENT_NOT_TRUSTED: The document is not trusted.');
  expect(textOf('require', { query: `${trusted} `, ...apollo(hash) })).toContain('DOCUMENT_NOT_TRUSTED');
});

test('"off" accepts documents by text only', () => {
  expect(textOf('off', { query: '{ other }' })).toBe('{ other }');
  expect(textOf('off', { query: '{ other }', ...apollo('x') })).toBe('{ other }');
  expect(textOf('off', { documentId: hash })).toContain('DOCUMENT_NOT_TRUSTED: Trusted documents are off');
  expect(textOf('off', apollo(hash))).toBe('DOCUMENT_NOT_TRUSTED: PersistedQueryNotSupported');
});

test.each([[{}], [{ query: '' }], [{ query: 7 }], [{ query: null }], [{ query: ['{ a }'] }]])(
  'a request like %j asks for nothing',
  (reference) => {
    for (const mode of ['off', 'prefer', 'require'] as const)
      expect(textOf(mode, reference)).toContain('BAD_USER_INPUT: The request names no document.');
  },
);
