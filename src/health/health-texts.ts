import type { GraphQLFieldResolver } from 'graphql';
import type { Resolvers, TextFormat } from '../generated/graphql.ts';
import type { Context } from '../graph/context.ts';
import type { TextFields } from '../graph/texts/text-format-defs.ts';

/** Texts that the provider writes for people, as plain text or as HTML. */
export const healthTexts: TextFields = {
  HealthEvent: ['title', 'header', 'summary', 'description', 'reason'],
  HealthEventAdditionalInformation: ['message'],
  HealthEventArticle: ['articleContent'],
  HealthEventFaq: ['question', 'answer'],
  HealthEventRecommendedActions: ['message'],
  HealthEventRecommendedAction: ['actionText'],
  HealthEventUpdate: ['summary'],
  ResourceAvailability: ['title', 'summary', 'detailedStatus'],
};

type Resolver = GraphQLFieldResolver<
  Readonly<Record<string, unknown>>,
  Context,
  { readonly format: TextFormat }
>;
type ResolverMap = Record<string, Record<string, Resolver> | undefined>;

/** Resolvers whose texts are returned in the format that is asked for. */
export function withTextFormats(resolvers: Resolvers): Resolvers {
  const complete = { ...resolvers } as ResolverMap;
  for (const [type, fields] of Object.entries(healthTexts))
    for (const field of fields)
      complete[type] = { ...complete[type], [field]: formatResult(field, complete[type]?.[field]) };
  return complete as Resolvers;
}

function formatResult(field: string, resolve: Resolver = (source) => source[field]): Resolver {
  return (source, args, context, info) => {
    const result: unknown = resolve(source, args, context, info);
    const { format } = args;
    if (format === 'RAW') return result;
    const convert = (text: unknown) =>
      typeof text === 'string' ? context.health.convertText(text, format) : null;
    return result instanceof Promise ? result.then(convert) : convert(result);
  };
}
