import type { GraphQLError } from 'graphql';
import { sizeAnswer } from './answer-size.ts';
import { sizeMutationAnswer } from './mutation-answer-size.ts';

/** The result of `tools/call`. */
export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: boolean;
  readonly [key: string]: unknown;
}

/** What a tool answers: a GraphQL response, and what was reported after it. */
export interface ToolAnswer {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLError[] | undefined;
  readonly [key: string]: unknown;
}

/** The most characters of a result's text. A model reads about 25,000 tokens of it. */
const maxResultCharacters = 100_000;

/** The same as text and as structured content. GraphQL errors make it an error, also beside partial data. */
export function createToolResult(answer: ToolAnswer): ToolResult {
  const { value, text, cut } = sizeAnswer(definedOf(answer), maxResultCharacters);
  const cutNote = cut && { message: cutMessage(cut.characters, cut.lists.length > 0), lists: cut.lists };
  return resultOf(answer, value, text, cutNote);
}

/** The result of a mutation: all its errors, whatever its length. */
export function createMutationResult(answer: ToolAnswer): ToolResult {
  const whole = definedOf(answer);
  const { value, text, omitted } = sizeMutationAnswer(whole, maxResultCharacters - noteCharacters);
  return resultOf(answer, value, text, omitted === null ? null : { message: `${omitted} ${doNotRepeat}` });
}

function resultOf(
  { errors }: ToolAnswer,
  value: Readonly<Record<string, unknown>>,
  text: string,
  cut: object | null,
): ToolResult {
  const structuredContent = cut ? { cut, ...value } : value;
  return {
    content: [{ type: 'text', text: cut ? JSON.stringify(structuredContent) : text }],
    // Results of compiled operations have objects without a prototype.
    structuredContent: { ...structuredContent },
    ...(errors && { isError: true }),
  };
}

/** A result for a mistake in the call itself. */
export const createErrorResult = (message: string, code: string, requestId: string): ToolResult =>
  createToolResult({ errors: [{ message, extensions: { code, requestId } } as unknown as GraphQLError] });

const definedOf = ({ errors, ...answer }: ToolAnswer): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== undefined)),
  // Those of rejections are plain objects.
  ...(errors && { errors: errors.map((error) => error.toJSON?.() ?? error) }),
});

// Leaves room for the note about what was left out.
const noteCharacters = 500;
const doNotRepeat = `The answer has more than ${maxResultCharacters} characters. The call was carried out, and \`userErrors\` say what failed: do not repeat it to see the rest. Read the records with a query.`;

const cutMessage = (characters: number, hasLists: boolean) =>
  `The answer has ${characters} characters; the limit is ${maxResultCharacters}. ${
    hasLists
      ? 'The lists below are shortened, each to `shown` of its entries, and without their `pageInfo`. For whole pages, call again with `first` of at most `shown`, then with `after` set to the `endCursor` of that answer; or ask for fewer fields.'
      : 'Its data is left out. Ask for fewer fields, or for a shorter page with `first`.'
  }`;
