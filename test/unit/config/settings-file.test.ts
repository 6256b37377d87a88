import { expect, test } from 'vitest';
import { parseSettingsFile } from '../../../src/config/files/settings-file.ts';

const read = (text: string) => parseSettingsFile(text, 'tributary.yaml');
const messagesOf = (text: string) => read(text).mistakes.map(({ message }) => message);

test('names are whole or in parts, and values are texts as variables have them', () => {
  const { values, places, mistakes } = read(
    'port: 8080\nbusiness:\n  url: https://a.example\n  token: { url: https://b.example }\nexplorer: true\ncors_origins: [a, b]\ninstances_api_version: 2023-04-01\nredis:\nmax-depth: 5\notel_traces_sampler_arg: 0.10\nlog_level: ~\n',
  );

  expect(mistakes).toEqual([]);
  expect(values).toEqual({
    PORT: '8080',
    BUSINESS_URL: 'https://a.example',
    BUSINESS_TOKEN_URL: 'https://b.example',
    EXPLORER: 'on',
    CORS_ORIGINS: 'a,b',
    INSTANCES_API_VERSION: '2023-04-01',
    MAX_DEPTH: '5',
    OTEL_TRACES_SAMPLER_ARG: '0.10',
  });
  expect(places.get('BUSINESS_TOKEN_URL')).toBe('tributary.yaml:4');
});

const mapping = (name: string) =>
  `tributary.yaml:1: ${name}: expected a value, and this is a mapping. Put it in quotes.`;
const namesExpected = (line: number) =>
  `tributary.yaml:${line}: expected names with values, such as \`business_url: https://business.example.com\`.`;
const notSupported = (line: number, what: string) =>
  `tributary.yaml:${line}: ${what} are not supported. Write the values themselves.`;

test.each([
  ['business:\n  ulr: x\n', 'tributary.yaml:2: BUSINESS_ULR is not a setting. Did you mean BUSINESS_URL?'],
  ['bussines: {}\n', 'tributary.yaml:1: BUSSINES: expected a text, a number, true or false.'],
  ['max_depth: [1]\n', 'tributary.yaml:1: MAX_DEPTH: expected one value, and this is a list.'],
  ['write_scopes: [[a]]\n', 'tributary.yaml:1: WRITE_SCOPES: expected a text or a list of texts.'],
  ['other: 1\n', 'tributary.yaml:1: OTHER is not a setting. `tributary settings` lists them.'],
  ['port: 1\n\nPORT: 2\n', 'tributary.yaml:3: PORT is set twice, first at tributary.yaml:1. Remove one.'],
  ['port: { low: 1 }\n', mapping('PORT')],
  ['business_client_secret: {S3CR3T}\n', mapping('BUSINESS_CLIENT_SECRET')],
  ['business: { client: { secret: { S3CR3T: x } } }\n', mapping('BUSINESS_CLIENT_SECRET')],
  ['redis_url: { file: { S3CR3T } }\n', mapping('REDIS_URL_FILE')],
  ['max_requests: { S3CR3T: [] }\n', mapping('MAX_REQUESTS')],
  ['port: 1\nport: 2\n', 'tributary.yaml:2: PORT is set twice, first at tributary.yaml:1. Remove one.'],
  [
    'business:\n  url: a\nbusiness:\n  token_url: b\n',
    'tributary.yaml:3: BUSINESS is set twice, first at tributary.yaml:1. Remove one.',
  ],
  [
    'business:\n  url: a\nbusiness_url: b\n',
    'tributary.yaml:3: BUSINESS_URL is set twice, first at tributary.yaml:2. Remove one.',
  ],
  ['"": 1\n', 'tributary.yaml:1: a name is missing. Write `name: value`.'],
  ['max:\n  ~: 1\n', 'tributary.yaml:2: a name is missing. Write `name: value`.'],
  ['[a]: 1\n', 'tributary.yaml:1: this name is not a setting. `tributary settings` lists them.'],
  ['"S3CR3T/more": 1\n', 'tributary.yaml:1: this name is not a setting. `tributary settings` lists them.'],
  ['# no\nport\n', namesExpected(2)],
  ['port: 1\n<<:\n', 'tributary.yaml:2: merge keys are not supported. Write the values themselves.'],
  ['# no\n!x\nport: 1\n', 'tributary.yaml:3: tags are not supported. Write the values themselves.'],
  ['- port\n', namesExpected(1)],
  ['port: &p 1\nadmin:\n  port: *p\n', notSupported(3, 'ADMIN_PORT: aliases')],
  ['cors_origins: [&o https://a.example, *o]\n', notSupported(1, 'CORS_ORIGINS: aliases')],
  ['port: 1\nbusiness:\n  <<: { url: https://a.example }\n', notSupported(3, 'BUSINESS: merge keys')],
  ['port: 1\nredis_url: !!binary aGVsbG8=\n', notSupported(2, 'REDIS_URL: tags')],
  ['log_level: !!js/function warn\n', notSupported(1, 'LOG_LEVEL: tags')],
])('%j is refused with its line', (text, message) => {
  expect(messagesOf(text)).toEqual([message]);
});

test.each([
  ['port: 1\n---\nport: 2\n', 2, 'a second document begins. Write one, without `---` and `...`.'],
  [
    'port: 1\nclient_secret: S3CR3T: b\n',
    2,
    'a colon in a value, or names indented below a value. Put the value in',
  ],
  [
    'redis_url: S3CR3T\n  file: b\n',
    1,
    'a colon in a value, or names indented below a value. Put the value in',
  ],
  ['port: 1\nredis_url: "S3CR3T\nmax: 2\nhost: a\n', 2, 'a quote that begins here is not closed. Close it.'],
  ["cors_origins: [a,\n  'S3CR3T]\nhost: a\n", 2, 'a quote that begins here is not closed. Close it.'],
  ['port: 1\n"host: a\nmax: 1\n', 2, 'a quote that begins here is not closed. Close it.'],
  ['redis_url: %S3CR3T\n', 1, 'a value that begins with %, @, ` or a comma. Put it in quotes.'],
  ['redis_url: @S3CR3T\n', 1, 'a value that begins with %, @, ` or a comma. Put it in quotes.'],
  ['redis_url: - S3CR3T\n', 1, 'a value that begins with a hyphen and a blank. Put it in quotes.'],
  ['redis_url: |S3CR3T\n', 1, 'a value that begins with | or >. Put it in quotes.'],
  ['redis_url: "a"S3CR3T\n', 1, 'text behind the end of a value. Put the whole value in quotes.'],
  ['redis_url: "S3C\\R3T"\n', 1, 'a backslash in double quotes that begins no escape. Use single quotes.'],
  ['port:\n\tlow: 1\n', 2, 'a tab before a name. Indent with blanks.'],
  ['max:\n  cost: 1\n depth: 1\n', 3, 'indented otherwise than the lines above.'],
  ['port: 1\nbusiness: [\nhost: a\n', 3, 'a bracket before this is not closed.'],
  ['port 1\nhost: a\n', 1, 'a name without a colon. Write `name: value`'],
  ['port: 1\nS3CR3T\n', 2, 'a name without a colon. Write `name: value`'],
  ['port: 1\nredis_url: ]S3CR3T\n', 2, 'this is no YAML. Write `name: value`'],
])('%j is no YAML, and is refused in one sentence with its line', (text, line, message) => {
  const [told = '', ...others] = messagesOf(text);

  expect(told).toContain(`tributary.yaml:${line}: ${message}`);
  expect(told).not.toMatch(/S3C/);
  expect(others).toEqual([]);
});

test('an empty file has no settings', () => {
  expect(read('# nothing\n')).toMatchObject({ values: {}, mistakes: [] });
});

test('what is nested too deeply to be read is refused in a sentence', () => {
  expect(messagesOf(`port: ${'['.repeat(20_000)}`)).toEqual([
    'tributary.yaml:1: nested too deeply. Names have five parts at most.',
  ]);
});
