import { expect, test } from 'vitest';
import { createLogger, createReadableStream, logAddresses } from '../../../src/app/log.ts';

const logging = (level: 'warn' | 'info') => {
  const lines: string[] = [];
  return { lines, log: createLogger({ LOG_LEVEL: level }, { write: (line) => void lines.push(line) }) };
};

test.for(['authorization', 'token', 'client_secret', 'assertion', 'variables'])(
  'what is called %s is never written, however deep it stands',
  (name) => {
    const { lines, log } = logging('info');

    log.info({ [name]: 'canary' });
    log.info({ headers: { [name]: 'canary' } });
    log.info({ req: { headers: { [name]: 'canary' } } });
    log.info({
      err: Object.assign(new Error('plain'), { response: { [name]: 'canary' }, [name]: 'canary' }),
    });

    expect(lines).toHaveLength(4);
    expect(lines.join()).not.toContain('canary');
    expect(lines.join()).toContain('[Redacted]');
  },
);

test('where a server listens is logged at every level but silent', () => {
  const addresses = { url: 'http://127.0.0.1:1', adminUrl: 'http://127.0.0.1:2' };
  const linesAt = (LOG_LEVEL: 'fatal' | 'silent') => {
    const lines: string[] = [];
    logAddresses(createLogger({ LOG_LEVEL }, { write: (line) => void lines.push(line) }), addresses);
    return lines.map((line) => JSON.parse(line));
  };

  expect(linesAt('fatal')).toMatchObject([
    {
      level: 'info',
      msg: 'The graph is at http://127.0.0.1:1/graphql, probes are at http://127.0.0.1:2/readyz',
    },
  ]);
  expect(linesAt('silent')).toEqual([]);
});

test('what an error says is written without anything shaped like a token', () => {
  const { lines, log } = logging('info');
  const quoted = 'of eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl and Bearer a1b2c3';

  log.info({ err: Object.assign(new Error(quoted, { cause: new Error(quoted) }), { said: quoted }) });
  log.info({ reason: quoted });

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { err: { type: 'Error', message: expect.stringContaining('of [token] and Bearer [token]') } },
    { reason: 'of [token] and Bearer [token]' },
  ]);
  expect(lines.join()).not.toMatch(/eyJ|a1b2c3|c2lnbmF0dXJl/);
});

test('dev writes one short line for a request, and no character that controls a terminal', () => {
  const texts: string[] = [];
  const log = createLogger(
    { LOG_LEVEL: 'info' },
    createReadableStream((text) => void texts.push(text)),
  );

  log.info({ requestId: 'r-1', kind: 'query', name: 'Orders', code: 'OK', ms: 12, calls: 1 }, 'operation');
  log.warn(
    { kind: 'mutation', code: 'REFUSED', ms: 9, calls: 2, reason: 'The upstream:\u001b[2J no.' },
    'operation',
  );
  log.warn({ requestId: 'r-3', code: 'GRAPHQL_PARSE_FAILED', reason: 'Syntax Error.' }, 'refused');
  log.warn({ upstream: 'business' }, 'Throttled.');

  expect(texts.map((text) => text.replace(/^\d\d:\d\d:\d\d /, ''))).toEqual([
    'query Orders OK 12 ms, 1 call',
    'mutation REFUSED 9 ms, 2 calls: The upstream: [2J no.',
    'request GRAPHQL_PARSE_FAILED: Syntax Error.',
    'WARN  Throttled. upstream=business',
  ]);
});
