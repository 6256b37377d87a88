import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import {
  getDistDirectory,
  isSandboxFrame,
  renderAltair,
  renderInitSnippet,
  SANDBOX_FRAME_CSP,
} from 'altair-static';
import type { FastifyInstance } from 'fastify';
import { graphqlPath } from '../paths.ts';
import { browserPath, serveFiles } from './browser-files.ts';
import { createContent, sendContent } from './content.ts';
import type { Example } from './examples.ts';
import { explorerSignInTag, type PageAccess, pageHeaders } from './sign-in.ts';

interface ExplorerOptions extends PageAccess {
  readonly examples: readonly Example[];
  /** Path of the console; null where it is not served. */
  readonly consolePath: string | null;
}

/** URL path of the explorer. */
export const explorerPath = '/';

const explorerRoot = '/explorer/';

const styleTag = `<link rel="stylesheet" href="${browserPath}style.css">`;
const consoleLinkTag = `<script type="module" src="${browserPath}console-link.js"></script>`;

/** Serves the Altair GraphQL client at `/`, bundled, with a window for each example. */
export function serveExplorer(app: FastifyInstance, options: ExplorerOptions): void {
  const settings = {
    ...altairOptions(options),
    baseURL: explorerRoot,
    serveInitialOptionsInSeperateRequest: true,
  };
  const altair = renderAltair(settings);
  const tags = [
    ...(options.signIn ? [explorerSignInTag] : []),
    ...(options.consolePath === null ? [] : [consoleLinkTag]),
  ];
  const page = createContent(
    'index.html',
    tags.length > 0 ? altair.replace('</head>', `${[styleTag, ...tags].join('')}</head>`) : altair,
  );
  const headers = pageHeaders(options.signIn, { hasInlineStyles: true });
  // Pre- and post-request scripts need `eval`; Altair's sandbox frame is not allowed to run them.
  const sandboxFrameHeaders = { ...headers, 'content-security-policy': SANDBOX_FRAME_CSP };
  const script = createContent(
    'initial_options.js',
    showLinkedQuery + renderInitSnippet(settings) + selectFirstWindow(settings),
  );

  app.get(explorerPath, (request, reply) => sendContent(request, reply.headers(headers), page));
  app.get(`${explorerRoot}initial_options.js`, (request, reply) => sendContent(request, reply, script));
  serveFiles(app, {
    root: pathToFileURL(`${getDistDirectory()}/`),
    prefix: explorerRoot,
    isHashed: (path) => /^chunk-[A-Z0-9]{8}\.js$/.test(path),
    headersOf: (path) => (isSandboxFrame(path) ? sandboxFrameHeaders : headers),
  });
}

function altairOptions({ examples, token, signIn }: ExplorerOptions) {
  const authorization = token === null ? '' : `Bearer ${token}`;
  // Altair stores its headers. With sign-in, the page adds the token to requests instead.
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
    // For windows that the user adds.
    ...access,
    initialWindows,
    instanceStorageNamespace: storageNamespace(initialWindows),
    persistedSettings: { 'banners.disable': true, 'schema.reloadOnStart': true },
    disableAccount: true,
  };
}

// Altair shows stored windows and ignores new ones. A namespace per set of examples makes changed examples
// visible.
function storageNamespace(windows: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify(windows)).digest('hex');
  return `tributary_${digest.slice(0, 8)}_`;
}

interface ExplorerWindows {
  readonly initialWindows: readonly unknown[];
  readonly instanceStorageNamespace: string;
}

// Altair selects the last window, and has no option for it. On the first visit this script selects the first.
function selectFirstWindow({ initialWindows, instanceStorageNamespace }: ExplorerWindows): string {
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

// A link with `#query=…&variables=…` opens one window with them, beside the stored ones. Nothing is sent until the user
// does so. The fragment reaches no server.
const showLinkedQuery = `
    {
      const linked = new URLSearchParams(location.hash.slice(1));
      const init = AltairGraphQL.init.bind(AltairGraphQL);
      if (linked.has('query')) AltairGraphQL.init = (options) => init({
        ...options,
        initialWindows: [{
          ...options.initialWindows[0],
          initialName: 'Linked query',
          initialQuery: linked.get('query'),
          initialVariables: linked.get('variables') ?? '{}',
        }],
        instanceStorageNamespace: options.instanceStorageNamespace + 'linked_',
        preserveState: false,
      });
    }
`;
