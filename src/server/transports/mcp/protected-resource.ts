import type { FastifyInstance } from 'fastify';
import { mcpPath, protectedResourcePath } from '../../paths.ts';

/** Where clients of MCP sign in (RFC 9728). */
export interface ProtectedResource {
  /** Public base URL of this server; null to take the `host` of each request, which is a loopback one then. */
  readonly publicUrl: string | null;
  readonly authorizationServer: string;
  readonly scopes: readonly string[];
}

const urlOf = (publicUrl: string | null, host: string | undefined): URL =>
  new URL(`${(publicUrl ?? `http://${host ?? 'localhost'}`).replace(/\/$/, '')}${mcpPath}`);

/** Returns the parameter of `WWW-Authenticate` that leads clients to the metadata (RFC 9728 §5.1). */
export function resourceParameter({ publicUrl }: ProtectedResource, host: string | undefined): string {
  const resource = urlOf(publicUrl, host);
  // The well-known part stands between the host and the path (RFC 9728 §3.1).
  return `resource_metadata="${resource.origin}${protectedResourcePath}${resource.pathname}"`;
}

/** Serves the metadata at the resource's own path, and at the root, where older clients look. */
export function serveProtectedResource(app: FastifyInstance, resource: ProtectedResource): void {
  const { publicUrl, authorizationServer, scopes } = resource;
  for (const url of [protectedResourcePath, `${protectedResourcePath}/*`]) {
    // For clients in browsers of any origin, whatever CORS_ORIGINS says.
    app.get(url, { config: { cors: false } }, (request, reply) =>
      reply.header('access-control-allow-origin', '*').send({
        resource: urlOf(publicUrl, request.headers.host).href,
        authorization_servers: [authorizationServer],
        bearer_methods_supported: ['header'],
        ...(scopes.length > 0 && { scopes_supported: scopes }),
        resource_name: 'Tributary',
      }),
    );
    // They send the revision of the protocol in a header.
    app.options(url, { config: { cors: false } }, (_request, reply) =>
      reply
        .code(204)
        .headers({
          'access-control-allow-origin': '*',
          'access-control-allow-headers': 'mcp-protocol-version',
        })
        .send(),
    );
  }
}
