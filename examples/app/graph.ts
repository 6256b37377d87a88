import { createClient } from 'graphql-sse';
import type { TypedDocumentString } from './generated/graphql.ts';

/** The errors of a response. */
class GraphError extends Error {
  /** Codes are listed in docs/errors.md. */
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
  /** Sends ids instead of documents; the server needs the manifest (`TRUSTED_DOCUMENTS`). */
  readonly isById: boolean;
}

export type Graph = ReturnType<typeof createGraph>;

/** A GraphQL client with typed documents. */
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
    /** Throws `GraphError` for any error: this client does not use partial data. */
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

    /** Reconnects after a disconnect. */
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
