import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseEnvFile } from '../../../src/config/files/env-file.ts';

const read = (text: string) => parseEnvFile(text, '.env');
const messagesOf = (text: string) => read(text).mistakes.map(({ message }) => message);

const good = `# A comment

PORT=4000
export HOST = 127.0.0.1 # all of this machine
MAX_COST=
AUTH_SCOPE="a b # c"  # comment
BUSINESS_CLIENT_SECRET='a#"b'
MANAGEMENT_CLIENT_SECRET=\`it's\`
OTEL_SERVICE_NAME="two\\nlines"
BUSINESS_URL=https://business.example/?a=b
MAX_DEPTH=# unset
`;

describe('a file .env', () => {
  test.each([
    ['as it is', good],
    ['with the line ends of Windows', good.replaceAll('\n', '\r\n')],
    ['with a byte order mark', `\uFEFF${good}`],
  ])('%s has the values that Node.js reads from it, and their lines', (_kind, text) => {
    const { values, places, mistakes } = read(text);

    expect(mistakes).toEqual([]);
    expect(values).toEqual({ ...parseEnv(good) });
    expect(values).toMatchObject({ AUTH_SCOPE: 'a b # c', MAX_DEPTH: '', HOST: '127.0.0.1' });
    expect(places.get('AUTH_SCOPE')).toBe('.env:6');
  });

  test.each(['ADMIN_PORT: 4100', 'canary line', '=canary', '4PORT=1', 'PORT', 'A-B=1'])(
    'is refused for the line %j, which is not quoted',
    (line) => {
      expect(messagesOf(`PORT=1\n${line}\n`)).toEqual([
        '.env:2: expected NAME=value, such as PORT=4000, or a comment that begins with #. Write it so, or remove it.',
      ]);
    },
  );

  test.each([
    ['PORT=1\n\nPORT=2', '.env:3: PORT is set twice, first at .env:1. Remove one.'],
    [
      'OTEL_SERVICE_NAME="canary\nPORT=4"',
      '.env:1: OTEL_SERVICE_NAME: the quote " does not end with its line. Close it there, or use another quote.',
    ],
    [
      "AUTH_SCOPE='a'b",
      ".env:1: AUTH_SCOPE: the quote ' does not end with its line. Close it there, or use another quote.",
    ],
    [
      'BUSINESS_CLIENT_SECRET=canary#b',
      '.env:1: BUSINESS_CLIENT_SECRET: a value with # needs quotes. Put it in quotes, or a blank before # for a comment.',
    ],
    [
      'X="canary\ncanary="',
      '.env:2: this name: the quote " does not end with its line. Close it there, or use another quote.',
    ],
    ['Canary=1\nCanary=', '.env:2: this name is set twice, first at .env:1. Remove one.'],
  ])('%j is refused with its line', (text, message) => {
    expect(messagesOf(text)).toContain(message);
    expect(messagesOf(text).join()).not.toMatch(/canary/i);
  });
});
