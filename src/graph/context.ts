import type { ListUpstreams } from './upstreams.ts';
import type { UserError } from './user-errors.ts';

/**
 * The GraphQL context: one object per operation. Each domain adds its property by declaration merging, as plugins of Fastify do
 * with decorators, so that this file imports no domain.
 */
export interface Context {
  readonly upstreams: ListUpstreams;
  /** Called with the first user error of a mutation. */
  reportUserError(error: UserError): void;
}
