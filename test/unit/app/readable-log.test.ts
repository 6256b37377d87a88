import { expect, test } from 'vitest';
import { createLogger, createReadableStream } from '../../../src/app/log.ts';

test('a line for a terminal has time, level, message and fields, and the stack of an error below', () => {
  const texts: string[] = [];
  const log = createLogger(
    { LOG_LEVEL: 'info' },
    createReadableStream((text) => void texts.push(text)),
  );

  log.warn({ upstream: 'business', ms: 7 }, 'Circuit breaker opened.');
  log.error({ err: new Error('broken') });

  expect(texts[0]).toMatch(/^\d\d:\d\d:\d\d WARN {2}Circuit breaker opened\. upstream=business ms=7$/);
  expect(texts[1]).toMatch(/^\d\d:\d\d:\d\d ERROR broken\n {2}Error: broken\n {6}at /);
});

test('what an upstream sent does not control the terminal, and tokens are redacted', () => {
  const texts: string[] = [];
  const log = createLogger(
    { LOG_LEVEL: 'info' },
    createReadableStream((text) => void texts.push(text)),
  );

  log.info({ reason: '\u001b[2J Bearer a1b2c3', body: { text: '\u001b[2J' } }, 'one\u0007\ntwo');

  expect(texts.join()).not.toMatch(/\p{Cc}/u);
  expect(texts.join()).not.toContain('a1b2c3');
});
