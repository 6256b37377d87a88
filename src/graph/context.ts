import type { ListUpstreams } from './upstreams.ts';

/**
 * The GraphQL context: one object per operation. Each domain adds its property by declaration merging, as Fastify's
 * decorators do, so that this file imports no domain.
 */
export interface Context {
  readonly upstreams: ListUpstreams;
}
