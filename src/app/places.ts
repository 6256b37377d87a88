import { LRUCache } from 'lru-cache';
import type { BusinessOptions } from '../business/business.ts';
import type { Config } from '../config/config.ts';
import { listPlaceholders, type PlaceholderValue, placeValuePattern } from '../config/url-template.ts';
import { InputError } from '../errors.ts';
import type { CursorCodec } from '../graph/cursor.ts';
import type { Place } from '../http/auth/access.ts';
import { getOrCompute } from '../runtime/memo.ts';
import type { Caller } from '../server/caller.ts';

/**
 * Returns the place of a caller in area A, by `BUSINESS_URL_VALUES`: from the claims of its verified token, and from
 * headers with one of the allowed values. Null where `BUSINESS_URL` is the whole address. Throws `InputError`.
 */
export type LocateCaller = (caller: Pick<Caller, 'tokens' | 'verified'>) => Place | null;

export function createLocator({ BUSINESS_URL: url = '', BUSINESS_URL_VALUES }: Config): LocateCaller {
  const values = BUSINESS_URL_VALUES ?? [];
  const [address = '', query = ''] = url.split('?', 2);
  const parameters = new Set(query.split('&').map((pair) => pair.replace(/=.*$/, '').toLowerCase()));
  if (listPlaceholders(url).length === 0 && query === '') return () => null;
  const path = address.replace(/^https?:\/\/[^/]*/i, '').replace(/\/$/, '');
  return (caller) => {
    const given = new Map(values.map((one) => [one.name, readValue(one, caller)]));
    const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_all, name: string) => given.get(name) ?? '');
    return { key: [...given.values()].join('/'), basePath: fill(path), query: fill(query), parameters };
  };
}

function readValue(
  { source, field, allowed }: PlaceholderValue,
  { tokens, verified }: Parameters<LocateCaller>[0],
): string {
  const value = source === 'claim' ? verified?.claims[field] : tokens.choices?.[field];
  if (value !== undefined && placeValuePattern.test(value) && (allowed?.includes(value) ?? true))
    return value;
  throw source === 'claim'
    ? new InputError(
        `The claim \`${field}\` of the token does not name a place of Business Records (BUSINESS_URL_VALUES).`,
        'FORBIDDEN',
      )
    : new InputError(
        `Send the header \`${field}\` (over WebSocket: in connection_init) with one of: ${allowed?.join(', ')}.`,
      );
}

/** The allowed values of each header that chooses a place. */
export const listPlaceHeaders = ({
  BUSINESS_URL_VALUES = [],
}: Config): ReadonlyMap<string, readonly string[]> =>
  new Map(
    BUSINESS_URL_VALUES.flatMap(({ source, field, allowed }) =>
      source === 'header' && allowed ? [[field, allowed] as const] : [],
    ),
  );

/** The claims that choose a place. */
export const listPlaceClaims = ({ BUSINESS_URL_VALUES = [] }: Config): readonly string[] =>
  BUSINESS_URL_VALUES.filter(({ source }) => source === 'claim').map(({ field }) => field);

// Above this the least recently used are dropped, with what was learned there.
const maxPlaces = 1_000;

/**
 * Returns what the requests for one place share, and no other: a copy of an environment has the same company ids, so
 * neither a cursor nor what was learned of ids and expansions applies to another place.
 */
export function separatePlaces(
  options: BusinessOptions,
  learnAboutPlace: () => Pick<BusinessOptions, 'clientSuppliedIds' | 'planExpansions'>,
): (place: Place | null) => BusinessOptions {
  const byPlace = new LRUCache<string, BusinessOptions>({ max: maxPlaces });
  return (place) =>
    !place?.key
      ? options
      : getOrCompute<string, BusinessOptions>(byPlace, place.key, () => ({
          ...options,
          cursors: scopeCursors(options.cursors, place.key),
          ...learnAboutPlace(),
        }));
}

const scopeCursors = (codec: CursorCodec, place: string): CursorCodec => ({
  encode: (scope, position) => codec.encode(`${place} ${scope}`, position),
  decode: (scope, cursor) => codec.decode(`${place} ${scope}`, cursor),
});
