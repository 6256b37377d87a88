/** What was answered, to a test that knows what it has asked for. */
// biome-ignore lint/suspicious/noExplicitAny: its shape is that of the question
export type Json = any;
