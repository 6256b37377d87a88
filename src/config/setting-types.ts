import { isIP } from 'node:net';
import { z } from 'zod';

const namePattern = /^[\p{L}\p{N}_-]{1,63}(\.[\p{L}\p{N}_-]{1,63})*\.?$/u;

// Words that are probably meant as a switch, not as a host name.
const switches: ReadonlySet<string> = new Set(['on', 'off', 'true', 'false', 'yes', 'no', 'none', 'null']);

/**
 * Whether a text is an IP address without brackets, or a host name. A host name must not end in a number (URL standard), such as
 * `300.1.1.1`, or `0`, which resolvers convert to 0.0.0.0.
 */
const isHost = (text: string): boolean =>
  isIP(text) !== 0 ||
  (text.length <= 253 &&
    namePattern.test(text) &&
    !/(^|\.)-|-(\.|$)/.test(text) &&
    !/(^|\.)(\d+|0x[\da-f]*)\.?$/i.test(text) &&
    !switches.has(text.toLowerCase()));

/** A whole number. `what` begins its message. */
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

/** The resource type of area B as `namespace/type@version`, the notation of Bicep templates. */
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
/** A text that must not begin or end with spaces. */
export const plainText = () =>
  z.string().regex(/^[^\p{Cc}\s]([^\p{Cc}]*[^\p{Cc}\s])?$/u, 'text on one line, without blanks around it');

// Headers with a meaning for HTTP, browsers, proxies or this server.
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

/** Whether a host is a loopback address. Accepts IPv6 addresses with and without brackets. */
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

// Checks the text instead of the parsed URL: parsers accept 1 as 0.0.0.1, and https:///x as https://x.
const hasHost = (text: string): boolean => {
  const [, written = ''] = /^https?:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:@]*)/i.exec(text) ?? [];
  return isHost(written.replace(/^\[|\]$/g, ''));
};

// Parsers of URLs remove line breaks, replace backslashes, and encode braces and spaces.
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

/** The URL of a proxy. Without a scheme, `http:` is assumed, as by curl. A single word is rejected. */
export const proxyUrl = () => {
  const expected = 'the http or https URL of a proxy, or its host and port, such as proxy.example:3128';
  return z
    .string()
    .refine((text) => text.includes('://') || /[.:]/.test(text.replace(/^.*@/s, '')), expected)
    .transform((text) => (text.includes('://') ? text : `http://${text}`))
    .refine((text) => {
      const url = parseUrl(text);
      if (url === null || !hasHost(text) || url.pathname !== '/' || url.search) return false;
      // Invalid escapes would throw later, when the credentials are decoded.
      return !/%(?![\da-f]{2})/i.test(url.username + url.password);
    }, expected);
};

/** A URL that receives secrets, serves keys or is shown to clients. */
export const secureUrl = () =>
  baseUrl().refine((text) => {
    const url = parseUrl(text);
    return url === null || url.protocol === 'https:' || isLoopbackHost(url.hostname);
  }, 'an https URL, or http with a loopback host');

const splitList = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');

// A scope token (RFC 6749), without `;`, which is probably meant as a separator.
const isScope = (word: string) => /^[\x21\x23-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(word);

/** A list of scopes. With `mayBeNone`, the empty text means none. */
export const scopes = (mayBeNone = false) =>
  z
    .string()
    .refine(
      (text) => (text === '' ? mayBeNone : /[^\s,]/.test(text) && splitList(text).every(isScope)),
      `scopes, separated by commas or spaces${mayBeNone ? ', or an empty value for none' : ''}`,
    )
    .transform(splitList);

/** A list of origins, exactly as browsers send them. `*` is rejected, and `null`, which any page can have as its origin. */
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

/** A list of paths, which may contain spaces. */
export const paths = () =>
  z
    .string()
    .transform((text) => text.split(',').map((path) => path.trim()))
    .refine((all) => all.every((path) => path !== ''), 'paths of files, comma-separated');

/** A list of schema coordinates of types and fields. */
export const coordinates = () =>
  z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .refine(
      (all) => all.every((name) => /^[A-Za-z]\w*(\.[A-Za-z]\w*)?$/.test(name)),
      'types and fields such as `Customer.balanceDue`, comma-separated',
    );

type Texts = Readonly<Record<string, string>>;

/** A text that `parse` converts. The text is invalid if `parse` throws or returns null. */
const textMap = (expected: string, parse: (text: string) => Texts | null) =>
  z.string().transform((text, context): Texts => {
    try {
      const texts = parse(text);
      if (texts) return texts;
    } catch {
      // Reported below.
    }
    context.addIssue(expected);
    return z.NEVER;
  });

/** The content of a manifest: a JSON object that maps ids to documents. */
export const documentManifest = () =>
  textMap('a file with a JSON object that maps ids to documents', (text) => {
    const parsed: unknown = JSON.parse(text);
    return z.record(z.string(), z.string()).safeParse(parsed).success ? (parsed as Texts) : null;
  });

const pairPattern = /^\s*([\w.-]+)=([\x21-\x7e]*)\s*$/;

/** Comma-separated `name=value` pairs, values percent-encoded. */
export const keyValuePairs = () =>
  textMap('`name=value` pairs, comma-separated, values percent-encoded', (text) => {
    const pairs = text
      .split(',')
      .map((pair) => pairPattern.exec(pair)?.slice(1).map(decodeURIComponent) ?? []);
    const isValid = pairs.every(([name, value = '']) => name && /^\P{Cc}*$/u.test(value));
    return isValid ? Object.fromEntries(pairs) : null;
  });
