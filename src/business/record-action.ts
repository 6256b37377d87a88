/** An action of the upstream that is bound to a record, such as shipping an order, and the mutation that carries it out. */
export interface RecordAction {
  readonly mutation: string;
  /** The upstream's name of the action, without its namespace. */
  readonly name: string;
  /**
   * What the action does to its record. `removes`: the record is gone afterwards. `mayRemove`: it is gone or changed.
   * `changes`: it has another ETag. `keeps`: the record does not show the action.
   */
  readonly effect: 'removes' | 'mayRemove' | 'changes' | 'keeps';
  /** Whether the record as it is now shows that the action was carried out, by its column `status`. */
  readonly isShownBy?: (status: unknown) => boolean;
  /** The document that comes of it. */
  readonly result?: ActionResult;
  /** Whether the upstream commits before the action ends, so that a refusal is no proof that nothing was carried out. */
  readonly mayFailAfterCommit?: boolean;
  readonly texts: ActionTexts;
}

interface ActionResult {
  /** Its type in the graph. */
  readonly type: string;
  /** The column by which the document names the record. Left out where only the response to the action names the document. */
  readonly ownerColumn?: string;
}

interface ActionTexts {
  /** What the mutation does, in a sentence without its full stop. */
  readonly summary: string;
  /** The record, with its article: `the order`. */
  readonly record: string;
  /** What becomes of the record. */
  readonly after: string;
  /** What the document is. */
  readonly result?: string;
}
