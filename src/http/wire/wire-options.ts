/** How connections to an upstream are made and used. */
export interface WireOptions {
  /** Whether to request compressed responses. */
  readonly isCompressionRequested: boolean;
}
