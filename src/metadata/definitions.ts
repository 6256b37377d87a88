import { z } from 'zod';

/*
 * What Business Central says of its entity sets in words: `GET /api/{route}/companies({id})/entityDefinitions`, whose type
 * in `$metadata` is `Microsoft.NAV.entityMetadata`. Everything in it may be missing.
 */

const label = z.object({ languageCode: z.number(), caption: z.string() });
// Samples leave captions out by a text in their place.
const labels = z
  .array(label.or(z.unknown()))
  .transform((all) => all.flatMap((each) => label.safeParse(each).data ?? []))
  .optional();
const definition = z.object({
  entityName: z.string(),
  entitySetName: z.string().nullish(),
  entityCaptions: labels,
  entitySetCaptions: labels,
  properties: z.array(z.object({ name: z.string(), captions: labels })).nullish(),
  enumMembers: z.array(z.object({ name: z.string(), captions: labels })).nullish(),
});
const response = z.union([
  z.array(definition),
  z.object({ value: z.array(definition) }).transform(({ value }) => value),
]);

/** The captions of one entity set in one language. */
export interface Captions {
  readonly entity: string | null;
  readonly entitySet: string | null;
  readonly properties: ReadonlyMap<string, string>;
  /** By the name of a member of an enum, as the metadata writes it. */
  readonly members: ReadonlyMap<string, string>;
}

export const noCaptions: Captions = {
  entity: null,
  entitySet: null,
  properties: new Map(),
  members: new Map(),
};

/** English (United States), as Windows numbers languages. */
const english = 1033;

/** The captions by entity set, or by entity where a definition is of an enum. Throws where it is not the response of `entityDefinitions`. */
export function readDefinitions(json: unknown): ReadonlyMap<string, Captions> {
  const { data, success, error } = response.safeParse(json);
  if (!success)
    throw new Error(`The definitions are not the response of entityDefinitions: ${z.prettifyError(error)}`);
  return new Map(
    data.map((one) => [
      one.entitySetName || one.entityName,
      {
        entity: captionOf(one.entityCaptions),
        entitySet: captionOf(one.entitySetCaptions),
        properties: captionsOf(one.properties ?? []),
        members: captionsOf(one.enumMembers ?? []),
      },
    ]),
  );
}

type Labels = z.infer<typeof labels>;

/** The English caption; that of any other language says too little to those who read the graph's own words. */
const captionOf = (all: Labels): string | null => {
  const caption = all?.find(({ languageCode }) => languageCode === english)?.caption;
  return caption === undefined ? null : toLine(caption);
};

const captionsOf = (
  named: readonly { readonly name: string; readonly captions?: Labels }[],
): ReadonlyMap<string, string> =>
  new Map(
    named.flatMap(({ name, captions }) => {
      const caption = captionOf(captions);
      return caption === null ? [] : [[name, caption] as const];
    }),
  );

const maxLength = 500;

/** A text of the upstream as part of a description: one line without control characters; null where nothing is left. */
export function toLine(text: string): string | null {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ').trim();
  // Half a surrogate pair may be left at the end.
  return line === '' ? null : line.slice(0, maxLength).replace(/\p{Cs}/gu, '');
}
