import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import type { ResponseLimits } from '../graph/response-meter.ts';
import type { Caller } from './caller.ts';

/** A GraphQL request accepted by the guard. */
export interface GraphqlRequest {
  /** Identifies the operation: equal for requests with the same document and operation name. */
  readonly operationId: number;
  /** The document's source text. */
  readonly text: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Maximum number of upstream rows the operation may read. */
  readonly maxRows: number;
  /** The limits when the guard accepted the request. */
  readonly responseLimits: ResponseLimits;
  /** How many seconds the client may keep a response without errors; 0 for not at all. */
  readonly maxAge: number;
  readonly caller: Caller;
}
