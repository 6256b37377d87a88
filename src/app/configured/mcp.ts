import type { Config } from '../../config/config.ts';
import type { Guard } from '../../server/guard/guard.ts';
import type { McpOptions } from '../../server/transports/mcp/mcp.ts';

/** MCP with the settings; null if it is off. */
export function createConfiguredMcp(config: Config, guard: Guard): McpOptions | null {
  const { MCP, JWT_ISSUER, TRUSTED_DOCUMENTS, TRUSTED_DOCUMENTS_MANIFEST: manifest = {} } = config;
  if (MCP === 'off') return null;
  return {
    guard,
    tools: { manifest, runsQueries: MCP === 'ad-hoc' || TRUSTED_DOCUMENTS !== 'require' },
    // A search shows what introspection shows.
    searchesSchema: MCP === 'ad-hoc' || config.INTROSPECTION !== 'off',
    protectedResource:
      JWT_ISSUER === undefined
        ? null
        : {
            publicUrl: config.PUBLIC_URL ?? null,
            authorizationServer: JWT_ISSUER,
            scopes: [
              ...new Set([...config.MANAGEMENT_SCOPES, ...config.WRITE_SCOPES, ...config.OPERATE_SCOPES]),
            ],
          },
  };
}
