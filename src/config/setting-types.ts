import { isIP } from 'node:net';
import { z } from 'zod';

const namePattern = /^[\p{L}\p{N}_-]{1,63}(\.[\p{L}\p{N}_-]{1,63})*\.?$/u;

// Words that are meant as a switch, and are no host.
const switches: ReadonlySet<string> = new Set(['on', 'off', 'true', 'false', 'yes', 'no', 'none', 'null']);

/**
 * Whether a text is an IP address, without brackets, or a host name. A name that ends in a number is none (URL standard):
 * neither `300.1.1.1`, nor `0`, which resolvers take for 0.0.0.0.
 */
const isHost = (text: string): boolean =>
  isIP(text) !== 0 ||
  (text.length <= 253 &&
    namePattern.test(text) &&
    !/(^|\.)-|-(\.|$)/.test(text) &&
    !/(^|\.)(\d+|0x[\da-f]*)\.?$/i.test(text) &&
    !switches.has(text.toLowerCase()));

/** A whole number of something; `what` begins its message. */
const wholeNumber = (what: string, min: number, max: number) => {
  const expected = `${what}${what && ', '}${min} to ${max}`;
  return z
    .string()
    .regex(new RegExp(`^0*\\d{1,${String(max).length}}$`), expected)
    .transform(Number)
    .refine((value) => value >= min && value <= max, expected);
};

export const port = () => wholeNumber('a port', 0, 65_535);
export const portOrOff = () => z.union([port(), z.literal('off')], { error: 'a port, 0 to 65535, or `off`' });
export const host = () =>
  z.string().refine(isHost, 'an IP address without brackets, or a host name, without a port');
export const milliseconds = (max: number, min = 1) => wholeNumber('milliseconds', min, max);
export const count = (max: number) => wholeNumber('', 1, max);
export const dottedName = () =>
  z.string().regex(/^[\w-]+(\.[\w-]+)*$/, 'letters, digits, hyphens and single dots');
export const apiVersionOrOff = () =>
  z.string().regex(/^(off|(?=.*\d)[\w-]+(\.[\w-]+)*)$/, 'a version such as 2022-12-01, or `off`');
// A switch such as `off` is no version.
const name = '[\\w-]+(?:\\.[\\w-]+)*';
const version = `(?=.*\\d)${name}`;

/** The resource type of area B as `namespace/type@version`, the notation of templates for such resources. */
export const instancesType = () =>
  z
    .string()
    .regex(
      new RegExp(`^${name}/${name}@${version}$`),
      'a namespace, a type and a version, such as Vendor.Workloads/virtualInstances@2023-04-01',
    );

/** The resource provider of area C as `namespace@version`. */
export const healthProvider = () =>
  z
    .string()
    .regex(new RegExp(`^${name}@${version}$`), 'a namespace and a version, such as Vendor.Health@2025-05-01');
/** Text whose blanks at the ends would be a mistake. */
export const plainText = () =>
  z.string().regex(/^[^\p{Cc}\s]([^\p{Cc}]*[^\p{Cc}\s])?$/u, 'text on one line, without blanks around it');

// Headers that HTTP, browsers, proxies or this server use themselves.
const usedHeader =
  /^(connection|host|cookie|set-cookie|transfer-encoding|keep-alive|upgrade|te|trailer|expect|origin|referer|user-agent|via|date|range|forwarded|x-request-id|x-request-timeout|traceparent|tracestate|(accept|content|if|proxy|sec|x-forwarded|apollo)(-.*)?)$/i;
export const tokenHeader = () =>
  dottedName().refine(
    (name) => !usedHeader.test(name),
    'a header that has no other use, such as x-management-authorization',
  );
export const oneOfWords = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, { error: formatAlternatives(words) });
export const onOrOff = () => oneOfWords('on', 'off');

const formatAlternatives = (words: readonly string[]) =>
  words
    .map((word) => `\`${word}\``)
    .reduce((all, word, at) => all + (at === words.length - 1 ? ' or ' : ', ') + word);

const parseUrl = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

/** Whether a host is reachable from this machine only, as browsers and URLs write it. */
export const isLoopbackHost = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(host);

export const redisUrl = () =>
  z.string().refine((text) => {
    const url = parseUrl(text);
    return (
      url !== null &&
      /^rediss?:$/.test(url.protocol) &&
      isHost(url.hostname.replace(/^\[|\]$/g, '')) &&
      /^\/?\d*$/.test(url.pathname)
    );
  }, 'a redis:// or rediss:// URL, the path of which is a number or empty');

// Checks the text, not the parsed URL: parsers take 1 for 0.0.0.1, and https:///x for https://x.
const hasHost = (text: string): boolean => {
  const [, written = ''] = /^https?:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:@]*)/i.exec(text) ?? [];
  return isHost(written.replace(/^\[|\]$/g, ''));
};

// Parsers remove line breaks, replace backslashes, and encode braces and blanks.
const isChangedByParsers = (text: string) => /[\p{Cc}\s\\{}<>"^`|]/u.test(text);

const isBaseUrl = (text: string): boolean => {
  const url = parseUrl(text);
  return (
    url !== null &&
    hasHost(text) &&
    !isChangedByParsers(text) &&
    !url.pathname.includes('//') &&
    /^https?:$/.test(url.protocol) &&
    !url.username &&
    !url.password &&
    !url.search &&
    !url.hash
  );
};

export const baseUrl = () =>
  z.string().refine(isBaseUrl, 'an http or https URL without credentials, query or fragment');

const queryPattern = /^[\w.-]+=[\w.-]+(&[\w.-]+=[\w.-]+)*$/;

/** A base URL with a query that is added to every call, such as the tenant of an on-premises server. */
export const baseUrlWithQuery = () =>
  z.string().refine((text) => {
    const [address = '', query] = text.split(/\?(.*)/s, 2);
    return isBaseUrl(address) && (query === undefined || queryPattern.test(query));
  }, 'an http or https URL without credentials or fragment, whose query is name=value');

/** A proxy, as programs such as curl take it: without a scheme it is `http:`. A single word is rejected. */
export const proxyUrl = () => {
  const expected = 'the http or https URL of a proxy, or its host and port, such as proxy.example:3128';
  return z
    .string()
    .refine((text) => text.includes('://') || /[.:]/.test(text.replace(/^.*@/s, '')), expected)
    .transform((text) => (text.includes('://') ? text : `http://${text}`))
    .refine((text) => {
      const url = parseUrl(text);
      if (url === null || !hasHost(text) || url.pathname !== '/' || url.search) return false;
      // The credentials are percent-decoded later, which would throw.
      return !/%(?![\da-f]{2})/i.test(url.username + url.password);
    }, expected);
};

/** A URL that receives secrets, serves keys or is given to others. */
export const secureUrl = () =>
  baseUrl().refine((text) => {
    const url = parseUrl(text);
    return url === null || url.protocol === 'https:' || isLoopbackHost(url.hostname);
  }, 'an https URL, or http with a loopback host');

const splitList = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');

// Scope tokens (RFC 6749), but for `;`, which is meant to separate them.
const isScope = (word: string) => /^[\x21\x23-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(word);

/** Scopes. With `mayBeNone`, only the empty text means none. */
export const scopes = (mayBeNone = false) =>
  z
    .string()
    .refine(
      (text) => (text === '' ? mayBeNone : /[^\s,]/.test(text) && splitList(text).every(isScope)),
      `scopes, separated by commas or spaces${mayBeNone ? ', or an empty value for none' : ''}`,
    )
    .transform(splitList);

/** Origins exactly as browsers send them. `null` and `*` are rejected: any page can have the origin `null`. */
export const origins = () =>
  z
    .string()
    .transform(splitList)
    .refine(
      (words) =>
        words.length > 0 &&
        words.every((word) => /^https?:[^*]+$/.test(word) && parseUrl(word)?.origin === word),
      'origins such as https://app.example.com, comma-separated, without a trailing slash',
    );

/** Paths of files, in which blanks are allowed. */
export const paths = () =>
  z
    .string()
    .transform((text) => text.split(',').map((path) => path.trim()))
    .refine((all) => all.every((path) => path !== ''), 'paths of files, comma-separated');

/** Schema coordinates of types and fields. */
export const coordinates = () =>
  z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .refine(
      (all) => all.every((name) => /^[A-Za-z]\w*(\.[A-Za-z]\w*)?$/.test(name)),
      'types and fields such as `Customer.balanceDue`, comma-separated',
    );

/** The content of a manifest: a JSON object that maps ids to documents. */
export const documentManifest = () => {
  const expected = 'a file with a JSON object that maps ids to documents';
  return z.string().transform((text, context): Readonly<Record<string, string>> => {
    try {
      const parsed: unknown = JSON.parse(text);
      if (z.record(z.string(), z.string()).safeParse(parsed).success) return parsed as Record<string, string>;
    } catch {
      // Reported below.
    }
    context.addIssue(expected);
    return z.NEVER;
  });
};

/** The content of a PEM file with the first line of a block. */
export const pem = (firstLine: RegExp, expected: string) => z.string().regex(firstLine, expected);

/** Comma-separated `name=value` pairs, values percent-encoded. */
export const keyValuePairs = () => {
  const expected = '`name=value` pairs, comma-separated, values percent-encoded';
  const one = /^\s*([\w.-]+)=([\x21-\x7e]*)\s*$/;
  return z.string().transform((text, context): Readonly<Record<string, string>> => {
    try {
      const all = text.split(',').map((pair) => one.exec(pair)?.slice(1).map(decodeURIComponent) ?? []);
      if (all.every(([name, value = '']) => name && /^\P{Cc}*$/u.test(value))) return Object.fromEntries(all);
    } catch {
      // Reported below.
    }
    context.addIssue(expected);
    return z.NEVER;
  });
};
