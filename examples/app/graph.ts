import { createClient } from 'graphql-sse';
import type { TypedDocumentString } from './generated/graphql.ts';

/** What a request was answered instead of data. */
class GraphError extends Error {
  /** The codes of docs/errors.md. */
  readonly codes: readonly unknown[];

  constructor(
    errors: readonly { readonly message: string; readonly extensions?: { readonly code?: unknown } }[],
  ) {
    super(errors.map(({ message }) => message).join('\n'));
    this.codes = errors.map(({ extensions }) => extensions?.code);
  }
}

export interface GraphOptions {
  readonly url: string;
  readonly token: string;
  /** Whether documents are named by their ids, which the layer knows from the manifest (`TRUSTED_DOCUMENTS`). */
  readonly isById: boolean;
}

export type Graph = ReturnType<typeof createGraph>;

/** A client of the graph: what comes back has the type of the document that was sent. */
export function createGraph({ url, token, isById }: GraphOptions) {
  const headers = { authorization: `Bearer ${token}` };
  const events = createClient({ url: `${url}/stream`, headers });
  const payloadOf = <Data, Variables>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
  ) => {
    const named = isById
      ? { query: '', documentId: String(document.__meta__?.hash) }
      : { query: document.toString() };
    return { ...named, variables: variables as Record<string, unknown> };
  };

  return {
    /** Throws `GraphError` where any part failed: this client has no use for half an answer. */
    async ask<Data, Variables>(
      document: TypedDocumentString<Data, Variables>,
      variables: Variables,
    ): Promise<Data> {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(payloadOf(document, variables)),
      });
      const { data, errors } = await response.json();
      if (errors) throw new GraphError(errors);
      return data;
    },

    /** Comes back by itself where the connection breaks. */
    async *watch<Data, Variables>(
      document: TypedDocumentString<Data, Variables>,
      variables: Variables,
    ): AsyncGenerator<Data> {
      for await (const { data, errors } of events.iterate<Data>(payloadOf(document, variables))) {
        if (errors) throw new GraphError(errors as ConstructorParameters<typeof GraphError>[0]);
        if (data) yield data;
      }
    },
  };
}
