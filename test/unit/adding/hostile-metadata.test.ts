import { readdirSync } from 'node:fs';
import { parseSync, Visitor } from 'rolldown/utils';
import { test as base, describe, expect } from 'vitest';
import { createService, type ServiceRequest } from '../../../src/adding/service.ts';
import type { RecordTypeFile } from '../../../src/business/record-files/record-file.ts';
import { createAddingFixture, resourceFile } from '../../support/adding.ts';
import { fixture } from '../../support/fixture.ts';
import { type StubAnswer, startStub } from '../../support/stub.ts';

const test = base.extend(
  'checkout',
  fixture(async ({ onCleanup }) => {
    const made = createAddingFixture();
    onCleanup(() => made.remove());
    return made;
  }),
);

// Whatever moves the cursor of a terminal, or reorders text.
const unprintable = /\p{Cf}|(?!\n)\p{Cc}/u;
const entitySets = ['resources'];
const file = resourceFile();
const evil =
  '*/ `$' + '{process.exit(7)}` """ \' "); process.exit(7); (" </script> | \u2028 \u001b[2J \u202e \\';
// What the format lets into descriptions, and into the words of a type.
const evilText = evil.replace('\u001b', '').trim();
const evilWords = evilText.replace(/["\\]/g, '').trim();
const set = 'sandbox/business/sets/resources.ts';

describe('names of hostile metadata write nothing', () => {
  test.for(['../../x', '__proto__', 'a.b', 'a b', "a');evil('", '', 'a\u0000b', 'x'.repeat(200)])(
    '%j',
    async (name, { checkout }) => {
      const fields = JSON.parse(
        `{"id":{"kind":"uuid","description":"x"},${JSON.stringify(name)}:{"kind":"text","description":"x"}}`,
      );
      const hostile: Record<string, RecordTypeFile> = {
        column: {
          ...file,
          fields: { ...file.fields, odd: { kind: 'text', description: 'x', column: name } },
        },
        type: { ...file, type: name },
        list: { ...file, names: { one: 'resource', many: name } },
        navigation: { ...file, relations: { item: { type: 'Item', description: 'x', navigation: name } } },
        member: {
          ...file,
          enums: {
            ResourceType: {
              description: 'x',
              members: JSON.parse(`{${JSON.stringify(name)}:{"word":"x","description":"x"}}`),
            },
          },
        },
        field: { ...file, fields },
      };
      // Zod leaves out keys that are `__proto__`, and a field may be as long as it likes.
      const harmless =
        name === '__proto__' ? ['field', 'member'] : name.length > 100 ? ['field', 'list'] : [];
      const before = checkout.snapshot();
      for (const [place, draft] of Object.entries(hostile)) {
        if (harmless.includes(place)) continue;
        checkout.setDraft(draft);

        const { code, error } = await checkout.add({ entitySets });

        expect(code, place).toBe(1);
        expect(error, place).toContain('is not a record file');
        expect(error).not.toMatch(unprintable);
      }
      expect(checkout.snapshot()).toEqual(before);
      expect(Object.prototype).not.toHaveProperty('kind');
    },
  );
});

test('texts and words become literals of code and of JSON, and nothing else', async ({ checkout }) => {
  checkout.setDraft({
    ...file,
    description: evilText,
    texts: { one: evilWords, many: evilWords },
    fields: {
      ...file.fields,
      constructor: { kind: 'text', description: evilText },
      toString: { kind: 'choice', enum: 'Odd', description: evilText },
    } as RecordTypeFile['fields'],
    enums: {
      ...file.enums,
      Odd: { description: evilText, members: { EVIL: { word: evil, description: evilText } } },
    },
  });

  const { code, text } = await checkout.add({ entitySets });

  const source = checkout.read(set);
  const { program, errors } = parseSync('set.ts', source);
  const called = new Set<string>();
  const literals: unknown[] = [];
  const templates: unknown[] = [];
  new Visitor({
    CallExpression: ({ callee }) => void called.add(source.slice(callee.start, callee.end)),
    Literal: ({ value }) => void literals.push(value),
    TemplateLiteral: (node) => void templates.push(node),
  }).visit(program);
  expect(code).toBe(0);
  expect(errors).toEqual([]);
  expect(templates).toEqual([]);
  expect([...called].sort()).toEqual([
    'booleanField',
    'choiceField',
    'codeField',
    'dateTimeField',
    'decimalField',
    'entitySet',
    'guidField',
    'seedRows',
    'textField',
  ]);
  expect(literals).toContain(evil);
  expect(program.body.map(({ type }) => type)).toEqual([
    'ImportDeclaration',
    'ImportDeclaration',
    'ImportDeclaration',
    'ExportNamedDeclaration',
  ]);
  const row = checkout
    .read('docs/record-types.md')
    .split('\n')
    .find((line) => line.startsWith('| `Resource`'));
  expect(row?.split('|')).toHaveLength(8);
  expect(text).not.toMatch(unprintable);
});

test('a text of a megabyte is refused in a short sentence', async ({ checkout }) => {
  checkout.setDraft({ ...file, description: `${evil}${'x'.repeat(1_048_576)}` });

  const { code, error } = await checkout.add({ entitySets });

  expect(code).toBe(1);
  expect(error).toContain('description: The value is invalid: Too big');
  expect(error.length).toBeLessThan(300);
});

test('what a diff and notes show of it moves no cursor', async ({ checkout }) => {
  await checkout.add({ entitySets });
  checkout.setDraft(() => ({
    files: [{ ...file, fields: { ...file.fields, fax: { kind: 'text', description: evil } } }],
    notes: [evil],
  }));

  const { text } = await checkout.add({ entitySets });

  expect(text).toContain('process.exit(7)');
  expect(text).not.toMatch(unprintable);
});

test('no file is made outside of those that are named', async ({ checkout }) => {
  await checkout.add({ entitySets });

  expect(readdirSync(checkout.folder).sort()).toEqual([
    'docs',
    'metadata.xml',
    'package.json',
    'sandbox',
    'schema',
  ]);
});

describe('a service', () => {
  const ask = async (
    answer: () => StubAnswer | Promise<StubAnswer>,
    options = {},
    request: Partial<ServiceRequest> = {},
  ) => {
    const stub = await startStub(answer);
    const service = createService({
      url: stub.url,
      token: null,
      fetch: (url, init) => fetch(url, init),
      maxCalls: 3,
      timeoutMs: 10_000,
      maxWaitMs: 1_000,
      maxGuessedWaitMs: 1_000,
      ...options,
    });
    const answered = await service
      .send({ path: '/x', maxBytes: 1_024, ...request })
      .catch((error: Error) => error.message);
    stub.stop();
    return { answered, calls: stub.requests.length };
  };

  test('that does not answer is left after the time for a call', async () => {
    expect(await ask(() => new Promise(() => {}), { timeoutMs: 300 })).toEqual({
      answered: expect.stringContaining('it did not answer within 0.3 s'),
      calls: 1,
    });
  });

  test('that sends too much is not read to the end', async () => {
    expect((await ask(() => ({ body: 'x'.repeat(100_000) }))).answered).toContain('which is too long');
  });

  test.for([undefined, 'soon', '0'])(
    'that throttles and asks to wait for %j is left after a bounded time',
    async (after) => {
      const { answered, calls } = await ask(
        () => ({ status: 429, headers: after === undefined ? {} : { 'retry-after': after } }),
        { maxCalls: 100, maxGuessedWaitMs: 4_000, maxWaitMs: 1_000 },
      );

      expect(answered).toContain('The service is throttling this caller');
      expect(calls).toBe(after === '0' ? 2 : 1);
    },
  );

  test('that redirects a write is told, and not followed', async () => {
    expect(
      (await ask(() => ({ status: 307, headers: { location: '/y' } }), {}, { method: 'POST', body: {} }))
        .answered,
    ).toContain('redirects a POST, which is not followed');
  });

  test('that redirects for ever is followed three times', async () => {
    expect(await ask(() => ({ status: 302, headers: { location: '/x' } }), { maxCalls: 10 })).toEqual({
      answered: expect.stringMatching(/\/x redirects more than 3 times\./),
      calls: 4,
    });
  });

  test('that breaks the connection is named with the reason', async () => {
    expect((await ask(() => ({ isCut: true }))).answered).toMatch(/^No answer from http:.*\/x: /);
  });
});
