import { z } from 'zod';
import { isBaseUrl } from './setting-types.ts';

/** How a placeholder of `BUSINESS_URL` gets its value. */
export interface PlaceholderValue {
  readonly name: string;
  readonly source: 'claim' | 'header';
  /** Name of the claim, or of the header in lower case. */
  readonly field: string;
  /** Null allows any value of the pattern; never null for a header. */
  readonly allowed: readonly string[] | null;
}

/** The characters of a value. `.` and `..` would change the path. */
export const placeValuePattern = /^(?!\.{1,2}$)[\w.-]{1,64}$/;

const placeholderPattern = /\{([a-z]\w*)\}/gi;

export const listPlaceholders = (url: string): readonly string[] => [
  ...new Set([...url.matchAll(placeholderPattern)].map(([, name = '']) => name)),
];

const templateUrlPattern =
  /^https?:\/\/[^/?#{}]+(\/([^/?#{}]+|\{[a-z]\w*\}))*\/?(\?[\w.-]+=([\w.-]+|\{[a-z]\w*\})(&[\w.-]+=([\w.-]+|\{[a-z]\w*\}))*)?$/i;

/** A base URL whose path segments and query values may be placeholders, never its host. */
export const templateUrl = () =>
  z
    .string()
    .refine(
      (text) =>
        templateUrlPattern.test(text) &&
        isBaseUrl(text.replace(/\?.*$/, '').replace(placeholderPattern, 'x')),
      'an http or https URL without credentials or fragment, in which whole path segments and query values may be placeholders such as {tenant}',
    )
    .meta({ pattern: '^[Hh][Tt]{2}[Pp][Ss]?://\\S+$' });

const assignmentPattern = /^([a-z]\w*)=(claim|header):([\w.:/-]{1,128})(?:\(([\w.,-]{1,2000})\))?$/i;

/** `name=claim:tid` or `name=header:x-environment(one,other)`, separated by spaces. */
export const placeholderValues = () => {
  const expected =
    '`name=claim:tid` or `name=header:a-header(one,other)` for each placeholder, separated by spaces';
  return z.string().transform((text, context): readonly PlaceholderValue[] => {
    const values = text.split(/\s+/).map((word) => parseAssignment(word));
    if (values.every((parsed) => parsed !== null)) return values;
    context.addIssue(expected);
    return z.NEVER;
  });
};

function parseAssignment(word: string): PlaceholderValue | null {
  const [, name = '', source, field = '', choices] = assignmentPattern.exec(word) ?? [];
  const allowed = choices?.split(',') ?? null;
  if (allowed?.some((value) => !placeValuePattern.test(value))) return null;
  if (source === 'claim') return { name, source, field, allowed };
  if (source !== 'header' || allowed === null || !/^[a-z][a-z0-9-]*$/i.test(field)) return null;
  return { name, source, field: field.toLowerCase(), allowed };
}
