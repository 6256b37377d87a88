/** The data of a response. Untyped: its shape depends on the query, which each test knows. */
// biome-ignore lint/suspicious/noExplicitAny: the alternative is a cast in every assertion
export type Json = any;
