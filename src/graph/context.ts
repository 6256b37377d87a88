import type { ListUpstreams } from './upstreams.ts';
import type { UserError } from './user-errors.ts';

/**
 * The GraphQL context: one object per operation. Each domain adds its property by declaration merging, as Fastify's
 * decorators do, so that this file imports no domain.
 */
export interface Context {
  readonly upstreams: ListUpstreams;
  /** Called by a mutation that ends in user errors, with the first of them. */
  reportUserError(error: UserError): void;
}
