/** How connections to an upstream are made and used. */
export interface WireOptions {
  /** Whether to request compressed responses. */
  readonly isCompressionRequested: boolean;
  /** An older HTTP connection takes no further call, and is closed when it is idle. */
  readonly maxConnectionAgeMs: number;
}
