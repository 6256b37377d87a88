import { createHash } from 'node:crypto';
import fastifyStatic from '@fastify/static';
import {
  getDistDirectory,
  isSandboxFrame,
  renderAltair,
  renderInitSnippet,
  SANDBOX_FRAME_CSP,
} from 'altair-static';
import type { FastifyInstance } from 'fastify';
import type { Example } from './examples.ts';
import { graphqlPath } from './queries.ts';
import { explorerSignIn, type PageAccess, pageHeaders } from './sign-in.ts';

interface ExplorerOptions extends PageAccess {
  readonly examples: readonly Example[];
}

const root = '/explorer/';

/** Serves Altair at `/`, from this machine alone, with a window for each example. */
export async function serveExplorer(app: FastifyInstance, options: ExplorerOptions): Promise<void> {
  const settings = { ...altairOptions(options), baseURL: root, serveInitialOptionsInSeperateRequest: true };
  const altair = renderAltair(settings);
  const page = options.signIn ? altair.replace('</head>', `${explorerSignIn}</head>`) : altair;
  const headers = pageHeaders(options.signIn, { hasInlineStyles: true });
  const script = renderInitSnippet(settings) + openFirst(settings);

  app.get('/', async (_request, reply) => reply.headers(headers).type('text/html; charset=utf-8').send(page));
  app.get(`${root}initial_options.js`, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(script),
  );
  await app.register(fastifyStatic, {
    root: getDistDirectory(),
    prefix: root,
    index: false,
    setHeaders: (reply, path) => {
      // Pre- and post-request scripts would need `eval`: their frame gets no rights, so they stay off.
      const policy = isSandboxFrame(path) ? { 'content-security-policy': SANDBOX_FRAME_CSP } : {};
      reply.headers({ ...headers, ...policy });
    },
  });
}

function altairOptions({ examples, token, signIn }: ExplorerOptions) {
  const authorization = token === null ? '' : `Bearer ${token}`;
  // What Altair is given it keeps: a token that one signs in for is put into requests behind its back.
  const headers = signIn ? {} : { authorization };
  const access = {
    initialHeaders: headers,
    initialSubscriptionRequestHandlerId: 'graphql-ws' as const,
    initialSubscriptionsPayload: headers,
  };
  const initialWindows = examples.map(({ name, query, variables }) => ({
    initialName: name,
    initialQuery: query,
    initialVariables: JSON.stringify(variables, null, 2),
    ...access,
  }));
  return {
    endpointURL: graphqlPath,
    subscriptionsEndpoint: graphqlPath,
    // For the windows a user adds.
    ...access,
    initialWindows,
    instanceStorageNamespace: namespaceOf(initialWindows),
    persistedSettings: { 'banners.disable': true, 'schema.reloadOnStart': true },
    disableAccount: true,
  };
}

// Altair shows the windows it remembers and no others: under a name of their own, new examples are seen.
function namespaceOf(windows: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify(windows)).digest('hex');
  return `tributary_${digest.slice(0, 8)}_`;
}

interface Opened {
  readonly initialWindows: readonly unknown[];
  readonly instanceStorageNamespace: string;
}

// Altair opens with the last window it made, and no option names another: on the first visit this chooses the first.
function openFirst({ initialWindows, instanceStorageNamespace }: Opened): string {
  return `
    if (!localStorage.getItem('${instanceStorageNamespace}opened')) {
      new MutationObserver((_changes, observer) => {
        const tabs = document.querySelectorAll('.window-switcher__item');
        if (!tabs[${initialWindows.length - 1}]?.matches('.window-switcher__item--active')) return;
        observer.disconnect();
        localStorage.setItem('${instanceStorageNamespace}opened', 'true');
        tabs[0].click();
      }).observe(document.body, { subtree: true, childList: true, attributeFilter: ['class'] });
    }
`;
}
