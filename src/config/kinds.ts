import { z } from 'zod';

export const wholeNumber = (expected: string, min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, expected)
    .transform(Number)
    .refine((value) => value >= min && value <= max, expected);

export const port = () => wholeNumber('a port, 0 to 65535', 0, 65_535);
export const portOrOff = () => z.union([port(), z.literal('off')], { error: 'a port, 0 to 65535, or `off`' });
export const milliseconds = (max: number, min = 1) => wholeNumber(`milliseconds, ${min} to ${max}`, min, max);
export const count = (max: number) => wholeNumber(`1 to ${max}`, 1, max);
export const name = () => z.string().regex(/^[\w-]+(\.[\w-]+)*$/, 'letters, digits, hyphens and single dots');
export const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, { error: wordsOf(words) });
export const onOrOff = () => oneOf('on', 'off');

const wordsOf = (words: readonly string[]) =>
  words
    .map((word) => `\`${word}\``)
    .reduce((all, word, at) => all + (at === words.length - 1 ? ' or ' : ', ') + word);

const urlOf = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

/** Whether a host can be reached from this machine alone. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);

export const redisUrl = () =>
  z.string().refine((text) => {
    const url = urlOf(text);
    return url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== '';
  }, 'a redis or rediss address');

export const baseUrl = () =>
  z.string().refine((text) => {
    const url = urlOf(text);
    return (
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      !url.username &&
      !url.password &&
      !url.search &&
      !url.hash
    );
  }, 'an http or https address without user, query or fragment');

/** An address that secrets go to, that keys come from, or that strangers are given. */
export const secureUrl = () =>
  baseUrl().refine((text) => {
    const url = urlOf(text);
    return url === null || url.protocol === 'https:' || isLoopback(url.hostname);
  }, 'an https address; http only on this machine');

const wordList = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');

export const scopes = () =>
  z
    .string()
    .transform(wordList)
    .refine(
      (words) => words.length > 0 && words.every((word) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(word)),
      'scopes, by comma or space',
    );

/** Origins exactly as browsers write them: `null` is what any page can claim to be, and `*` is everybody. */
export const origins = () =>
  z
    .string()
    .transform(wordList)
    .refine(
      (words) => words.every((word) => /^https?:[^*]+$/.test(word) && urlOf(word)?.origin === word),
      'origins such as https://app.example.com, by comma, without a slash at the end',
    );

/** The text of a manifest: a JSON object of documents by their ids. */
export const documents = () => {
  const expected = 'a file with a JSON object of documents by their ids';
  return z.string().transform((text, context): Readonly<Record<string, string>> => {
    try {
      const parsed: unknown = JSON.parse(text);
      if (z.record(z.string(), z.string()).safeParse(parsed).success) return parsed as Record<string, string>;
    } catch {
      // It is told below.
    }
    context.addIssue(expected);
    return z.NEVER;
  });
};

/** `name=value`, by comma; values percent-encoded where they need it. */
export const pairs = () => {
  const expected = '`name=value`, by comma, values percent-encoded';
  const one = /^\s*([\w.-]+)=([\x21-\x7e]*)\s*$/;
  return z.string().transform((text, context): Readonly<Record<string, string>> => {
    try {
      const all = text.split(',').map((pair) => one.exec(pair)?.slice(1).map(decodeURIComponent) ?? []);
      if (all.every(([name, value = '']) => name && /^\P{Cc}*$/u.test(value))) return Object.fromEntries(all);
    } catch {
      // It is told below.
    }
    context.addIssue(expected);
    return z.NEVER;
  });
};
