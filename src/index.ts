import { readFileSync } from 'node:fs';
import type { FastifyPluginAsync } from 'fastify';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { createGraph } from './app/compose.ts';
import { createLogger, openLogOutput } from './app/log.ts';
import { clientSdl } from './app/schema/sdl.ts';
import { requireServeSettings } from './commands/load-settings.ts';
import { createPagesOptions } from './commands/pages-options.ts';
import { readConfig } from './config/config.ts';
import { createPlugin } from './server/server.ts';

export { ConfigError, type ConfigMistake } from './config/config-error.ts';
export type { ExtensionContext, ExtensionResolver } from './graph/extension.ts';

/** The settings of `docs/settings.md`, by name. The environment is not read. */
export type TributarySettings = Readonly<Record<string, string | number | undefined>>;

export interface TributaryRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
  /** HTTP headers of the client, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Tributary {
  /** For tools. Execute operations with `execute`, because `graphql()` does not plan upstream calls. */
  readonly schema: GraphQLSchema;
  /** The schema for clients. */
  readonly sdl: string;
  /** Executes a query or mutation, with the checks and limits of HTTP requests. Errors of the caller are in the result. */
  execute(request: TributaryRequest): Promise<ExecutionResult>;
  /** Serves the paths of the graph on a Fastify server. Register it without a prefix. */
  readonly plugin: FastifyPluginAsync;
  /** Closes the connections to upstreams and Redis. Close the Fastify server first. */
  close(): Promise<void>;
}

/** Creates the graph in this process, without a server. Throws a `ConfigError` for settings that `serve` would reject. */
export async function createTributary(settings: TributarySettings): Promise<Tributary> {
  const given = Object.entries(settings).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const config = requireServeSettings(
    readConfig(Object.fromEntries(given), (path) => readFileSync(path, 'utf8')),
  );
  const log = createLogger(config, openLogOutput());
  const pages = createPagesOptions(config, null, 'off');
  const { service, schema, model, close } = await createGraph(config, pages, log, 'embedded');
  return {
    schema,
    get sdl() {
      return clientSdl(model);
    },
    execute: ({ headers = {}, ...payload }) =>
      service.execute(
        payload,
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      ),
    plugin: createPlugin(service),
    close,
  };
}
