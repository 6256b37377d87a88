import fastifyStatic from '@fastify/static';
import altair from 'altair-static';
import type { FastifyInstance } from 'fastify';
import type { Example } from './examples.ts';
import { graphqlPath } from './subscriptions.ts';

export interface ExplorerOptions {
  readonly examples: readonly Example[];
  /** A token to send with every example: the sandbox's. Null leaves signing in to the user. */
  readonly token: string | null;
}

const root = '/explorer/';

// Altair asks nothing of any other host. Its styles are partly inline; its code never is.
const policy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self' ws: wss:",
  "worker-src 'self' blob:",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves Altair at `/`, from this machine alone, with a window for each example. */
export async function serveExplorer(app: FastifyInstance, options: ExplorerOptions): Promise<void> {
  const settings = { baseURL: root, ...altairOptions(options), serveInitialOptionsInSeperateRequest: true };
  const page = altair.renderAltair(settings);
  const script = altair.renderInitSnippet(settings);

  app.get('/', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(page),
  );
  app.get(`${root}initial_options.js`, async (_request, reply) => reply.type('text/javascript').send(script));
  await app.register(fastifyStatic, {
    root: altair.getDistDirectory(),
    prefix: root,
    index: false,
    setHeaders: (response, path) => {
      // The frame that runs a user's own scripts gets no rights at all.
      const isFrame = altair.isSandboxFrame(path);
      response.setHeader('content-security-policy', isFrame ? altair.SANDBOX_FRAME_CSP : policy);
    },
  });
}

function altairOptions({ examples, token }: ExplorerOptions) {
  const authorization = token === null ? '' : `Bearer ${token}`;
  return {
    endpointURL: graphqlPath,
    subscriptionsEndpoint: graphqlPath,
    initialSubscriptionRequestHandlerId: 'graphql-ws' as const,
    initialSubscriptionsPayload: { authorization },
    initialHeaders: { authorization },
    initialWindows: examples.map(({ name, query, variables }) => ({
      initialName: name,
      initialQuery: query,
      initialVariables: JSON.stringify(variables, null, 2),
      initialHeaders: { authorization },
      initialSubscriptionRequestHandlerId: 'graphql-ws' as const,
      initialSubscriptionsPayload: { authorization },
    })),
    disableAccount: true,
  };
}
