// The gateway: composes both subgraphs from the SDL they serve, and executes queries over both.
import { createServer } from 'node:http';
import { createGatewayRuntime, getGraphQLWSOptions } from '@graphql-hive/gateway-runtime';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';

const { TRIBUTARY_URL, NOTES_URL, GATEWAY_PORT = '4200', SUBSCRIBE_BY = 'sse' } = process.env;
const { MANAGEMENT_TOKEN_HEADER = 'authorization' } = process.env;

// Headers forwarded to Tributary. The other subgraph needs no token and gets none.
const passedOn = [
  'authorization',
  MANAGEMENT_TOKEN_HEADER,
  'x-request-id',
  'traceparent',
  'x-request-timeout',
  'accept-language',
  'tributary-explain',
  'tributary-read',
];

// Until the supergraph is composed, requests get 503.
let gateway = (_request, response) => response.writeHead(503, { 'retry-after': '1' }).end();
const server = createServer((request, response) => gateway(request, response));
await new Promise((resolve) => server.listen(Number(GATEWAY_PORT), '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;

// Tributary's subscriptions, by server-sent events or WebSockets: both are at `/graphql`.
const subscriptions = {
  // The default, GET, needs a header that a cross-site request cannot set.
  sse: { kind: 'http', options: { method: 'POST' } },
  ws: {
    kind: 'ws',
    location: '/graphql',
    options: {
      connectionParams: {
        authorization: '{context.headers.authorization}',
        managementAuthorization: `{context.headers.${MANAGEMENT_TOKEN_HEADER}}`,
      },
    },
  },
};

async function subgraph(name, url) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ _service { sdl } }' }),
  });
  const { data } = await response.json();
  return { name, url, typeDefs: parse(data._service.sdl) };
}

const { supergraphSdl, errors } = composeServices([
  await subgraph('tributary', TRIBUTARY_URL),
  await subgraph('notes', NOTES_URL),
]);
if (errors?.length) throw new Error(errors.map(({ message }) => message).join('\n'));

const runtime = createGatewayRuntime({
  supergraph: supergraphSdl,
  transports: {
    http: import('@graphql-mesh/transport-http'),
    ws: import('@graphql-mesh/transport-ws'),
  },
  transportEntries: { tributary: { options: { subscriptions: subscriptions[SUBSCRIBE_BY] } } },
  propagateHeaders: {
    // For a WebSocket, the headers are the client's `connection_init` payload.
    fromClientToSubgraphs: ({ context: { headers }, subgraphName }) =>
      subgraphName === 'tributary' ? Object.fromEntries(passedOn.map((name) => [name, headers[name]])) : {},
  },
  graphiql: false,
  landingPage: false,
  logging: 'error',
});

gateway = runtime;
const { graphqlEndpoint } = runtime;
useServer(
  getGraphQLWSOptions(runtime, ({ extra: { request } }) => ({
    request: new Request(new URL(graphqlEndpoint, 'http://gateway'), { headers: request.headers }),
  })),
  new WebSocketServer({ server, path: graphqlEndpoint }),
);
console.log(`The supergraph is at ${origin}${graphqlEndpoint}`);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit());
