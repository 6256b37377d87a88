import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, describe, expect } from 'vitest';
import type { RecordTypeFile } from '../../../src/business/record-files/record-file.ts';
import { draftRecordFiles } from '../../../src/metadata/draft-record-files.ts';
import { createAddingFixture } from '../../support/adding.ts';
import { fixture } from '../../support/fixture.ts';
import { type Stub, startStub } from '../../support/stub.ts';
import {
  dynamicsRefusal,
  plainRefusal,
  probeRows,
  startProbeStub,
} from '../../support/upstreams/probe-stub.ts';

const test = base.extend(
  'probe',
  fixture(async ({ onCleanup }) => {
    const checkout = createAddingFixture();
    const stubs: Stub[] = [];
    onCleanup(() => {
      checkout.remove();
      for (const stub of stubs) stub.stop();
    });
    const tokenFile = join(checkout.folder, 'token.txt');
    writeFileSync(tokenFile, 'secret-token-of-the-test\n');
    /** Probes a service; the file is null where none is printed. */
    return async (options: Parameters<typeof startProbeStub>[0], args: { maxCalls?: string } = {}) => {
      const stub = await startProbeStub(options);
      stubs.push(stub);
      const { code, text, error } = await checkout.add({
        entitySets: ['resources'],
        metadata: join(checkout.folder, 'metadata.xml'),
        url: stub.url,
        tokenFile,
        probe: true,
        json: true,
        ...args,
      });
      const start = text.indexOf('{\n');
      const file = start === -1 ? null : (JSON.parse(text.slice(start)) as RecordTypeFile);
      return { code, text, error, file, requests: stub.requests };
    };
  }),
);

const withNo = (file: RecordTypeFile | null, choice: 'canFilter' | 'canSort') =>
  Object.entries(file?.fields ?? {})
    .filter(([, field]) => field[choice] === false)
    .map(([name]) => name);

describe.each([
  ['Business Central', dynamicsRefusal],
  ['another service', plainRefusal],
] as const)('with the refusals of %s, a probe', (_service, refusal) => {
  test('finds the columns that cannot be filtered and sorted by, and proves the others', async ({
    probe,
  }) => {
    const { code, file, requests, text } = await probe({ computed: ['displayName'], refusal });

    expect(code).toBe(0);
    expect(withNo(file, 'canFilter')).toEqual(['displayName']);
    expect(withNo(file, 'canSort')).toEqual(['displayName']);
    expect(file?.origin).toMatchObject({
      probed: '2026-02-01',
      notes: [
        'Not probed.',
        'Probe: of resources, these cannot be filtered: displayName.',
        'Probe: of resources, these cannot be sorted by: displayName.',
      ],
    });
    // The company, two records, select, the key and eight columns, both directions and seven of sorting, expand.
    expect(requests).toHaveLength(1 + 1 + 1 + 9 + 2 + 7 + 1);
    expect(text).toContain(`${requests.length} calls`);
    expect(requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  test('leaves out a column that cannot be selected, and a navigation that cannot be expanded', async ({
    probe,
  }) => {
    const { file } = await probe({ unknown: ['blocked'], navigations: [], refusal });

    expect(Object.keys(file?.fields ?? {})).not.toContain('blocked');
    expect(file?.relations).toEqual({ item: { type: 'Item', description: 'Its item.', idField: 'itemId' } });
  });
});

test('a service that ignores $filter filters by nothing', async ({ probe }) => {
  const { file, text } = await probe({ isFilterIgnored: true });

  expect(withNo(file, 'canFilter')).toEqual(Object.keys(file?.fields ?? {}));
  expect(text).toContain('does not apply $filter');
});

test('a service that ignores $orderby sorts by nothing', async ({ probe }) => {
  const { file } = await probe({ isOrderIgnored: true });

  expect(withNo(file, 'canSort')).toEqual(Object.keys(file?.fields ?? {}));
});

test('an empty entity set proves only what is refused', async ({ probe }) => {
  const { file, text } = await probe({ rows: [], computed: ['number'] });

  expect(withNo(file, 'canFilter')).toContain('unitPrice');
  expect(withNo(file, 'canSort')).toContain('unitPrice');
  expect(file?.relations?.item?.navigation).toBe('item');
  expect(text).toContain('has no records in this company');
});

test('what the limit of calls leaves out stays as it was, and is said', async ({ probe }) => {
  const { file, requests } = await probe({}, { maxCalls: '6' });

  expect(requests).toHaveLength(6);
  expect(withNo(file, 'canFilter')).toContain('unitPrice');
  expect(file?.origin?.notes?.join()).toContain(
    'were not asked for, because the limit of calls was reached: ',
  );
});

test('429 is waited for as long as the service says, and the call is repeated', async ({ probe }) => {
  const { code, text, requests } = await probe({
    intercept: (_request, call) =>
      call === 3 ? { status: 429, headers: { 'retry-after': '1' } } : undefined,
  });

  expect(code).toBe(0);
  expect(text).toContain('waiting 1 s');
  expect(requests[3]?.target).toBe(requests[2]?.target);
});

test.for([
  [401, 'does not accept the token (401)'],
  [403, 'does not allow this caller to read it (403)'],
  [404, 'has nothing at this address (404)'],
  [503, 'responded with 503'],
  [302, 'redirects to another address'],
] as const)('%s ends the probe with a sentence', async ([status, said], { probe }) => {
  const body = { error: { code: 'Any', message: 'Bearer secret-token-of-the-test was sent.' } };
  const headers = status === 302 ? { location: 'http://127.0.0.1:9/elsewhere' } : {};

  const { code, file, error, requests } = await probe({
    intercept: (_request, call) => (call === 4 ? { status, body, headers } : undefined),
  });

  expect({ code, file, error }).toEqual({ code: 1, file: null, error: expect.stringContaining(said) });
  expect(error).not.toContain('secret-token');
  expect(requests).toHaveLength(4);
});

test('a long Retry-After ends the probe', async ({ probe }) => {
  const { code, error } = await probe({
    intercept: () => ({ status: 429, headers: { 'retry-after': '3600' } }),
  });

  expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('asks to wait 3600 s') });
});

test('a value with quotes is one literal', async ({ probe }) => {
  const { requests } = await probe({});

  const filters = requests.map(({ target }) => new URL(target, 'http://stub').searchParams.get('$filter'));
  expect(filters).toContain(`id eq ${probeRows[0]?.id} and displayName ne 'O''Neil & sons'`);
});

test('$metadata is read from the service, with redirects on its host, and the token goes nowhere else', async ({
  onTestFinished,
}) => {
  const checkout = createAddingFixture();
  const other = await startStub(() => ({ body: '' }));
  const tokenFile = join(checkout.folder, 'token.txt');
  writeFileSync(tokenFile, 'secret-token-of-the-test');
  let place = '/moved';
  const stub = await startStub(({ target }) => {
    if (target === '/api/v2.0/$metadata') return { status: 307, headers: { location: place } };
    if (target === '/moved') return { body: '<edmx:Edmx/>' };
    return { status: 404 };
  });
  onTestFinished(() => {
    checkout.remove();
    other.stop();
    stub.stop();
  });
  const args = { entitySets: ['resources'], url: `${stub.url}/api/v2.0/$metadata`, tokenFile };

  const followed = await checkout.add(args);
  const written = Object.values(checkout.snapshot()).filter((text) => text.includes('secret-token'));
  place = `${other.url}/moved`;
  const refused = await checkout.add(args);

  expect(followed.code).toBe(0);
  expect(checkout.drafted[0]).toMatchObject({ route: 'v2.0', source: `${stub.url}/api/v2.0/$metadata` });
  expect(
    stub.requests.every(({ headers }) => headers.authorization === 'Bearer secret-token-of-the-test'),
  ).toBe(true);
  // The token file itself.
  expect(written).toHaveLength(1);
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('not followed') });
  expect(other.requests).toEqual([]);
});

test.for([
  [
    'an HTML page',
    { body: '<!DOCTYPE html><html>Sign in</html>', headers: { 'content-type': 'text/html' } },
    '/api/v2.0/$metadata answers with an HTML page (text/html), not with metadata: it may ask to sign in.',
  ],
  [
    'an encoding that is not read',
    { body: '<a/>', headers: { 'content-type': 'application/xml;charset=ISO-8859-1' } },
    '/api/v2.0/$metadata answers in the encoding ISO-8859-1: only UTF-8 and UTF-16 are read.',
  ],
  [
    'a document that is cut short',
    { body: '<a>', headers: { 'content-type': 'application/xml' } },
    '/api/v2.0/$metadata: Line 1: the XML is malformed: unclosed tag: a. The document may have been cut short.',
  ],
] as const)(
  '%s in the place of $metadata is told with its address',
  async ([, answer, said], { onTestFinished }) => {
    const checkout = createAddingFixture();
    checkout.setDraft(draftRecordFiles);
    const stub = await startStub(() => answer);
    onTestFinished(() => {
      checkout.remove();
      stub.stop();
    });

    const { code, error } = await checkout.add({ entitySets: ['things'], url: stub.url, json: true });

    expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining(`${stub.url}${said}`) });
  },
);

test('metadata from a file and from a service contradict each other, unless the service is probed', async ({
  onTestFinished,
}) => {
  const checkout = createAddingFixture();
  onTestFinished(() => checkout.remove());
  const metadata = join(checkout.folder, 'metadata.xml');

  const { code, error } = await checkout.add({ entitySets: ['things'], metadata, url: 'http://127.0.0.1:9' });

  expect({ code, error }).toEqual({
    code: 2,
    error:
      '--metadata and --url both name the metadata. Leave out one of them, or add --probe to ask the service of --url.',
  });
});

test('entityDefinitions that are no definitions leave the descriptions to names', async ({
  onTestFinished,
}) => {
  const checkout = createAddingFixture();
  const stub = await startStub(({ target }) =>
    target.endsWith('/entityDefinitions') ? { body: { value: [{ odd: true }] } } : { body: '<edmx:Edmx/>' },
  );
  onTestFinished(() => {
    checkout.remove();
    stub.stop();
  });

  const { code } = await checkout.add({ entitySets: ['resources'], url: stub.url, json: true });

  expect(code).toBe(0);
  expect(checkout.drafted[0]).not.toHaveProperty('definitions');
});
