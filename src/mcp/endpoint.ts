export interface GraphqlRequest {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface GraphqlResponse {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string }[];
}

export type Endpoint = ReturnType<typeof createEndpoint>;

/**
 * Creates the client of a GraphQL endpoint for one caller. `authorization` is sent to this endpoint only. Failures are
 * returned as errors of the response; only an aborted signal rejects.
 */
export function createEndpoint(url: URL, authorization: string | null) {
  const send = (accept: string, request: GraphqlRequest, signal?: AbortSignal) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...(authorization && { authorization }) },
      body: JSON.stringify(request),
      // A redirect could send the token to another host.
      redirect: 'manual',
      signal: signal ?? null,
    }).catch((error) => {
      signal?.throwIfAborted();
      // The message of `fetch` may contain the token.
      const code = error.cause?.code ?? 'no response';
      return Response.json(failure(`The GraphQL endpoint cannot be reached (${code}).`));
    });

  return {
    async execute(request: GraphqlRequest, signal?: AbortSignal): Promise<GraphqlResponse> {
      const accept = 'application/graphql-response+json, application/json;q=0.9';
      return readResponse(await send(accept, request, signal), signal);
    },
    async *subscribe(request: GraphqlRequest, signal: AbortSignal): AsyncIterable<GraphqlResponse> {
      const response = await send(eventStream, request, signal);
      if (response.headers.get('content-type')?.startsWith(eventStream)) yield* readEvents(response);
      else yield readResponse(response);
    },
  };
}

const eventStream = 'text/event-stream';

const failure = (message: string): GraphqlResponse => ({ errors: [{ message }] });

async function readResponse(response: Response, signal?: AbortSignal): Promise<GraphqlResponse> {
  try {
    const body = (await response.json()) as GraphqlResponse;
    if (body.data !== undefined || body.errors) return body;
  } catch {
    signal?.throwIfAborted();
  }
  return failure(`The GraphQL endpoint answered with HTTP ${response.status}, without a GraphQL response.`);
}

/** Reads the results of an event stream (GraphQL over SSE). Tributary sends each as one line of data. */
async function* readEvents({ body }: Response): AsyncIterable<GraphqlResponse> {
  let unread = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (unread + chunk).split('\n\n');
    unread = events.pop() ?? '';
    for (const event of events) {
      const data = /^event: next\ndata: (.*)$/.exec(event)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}
