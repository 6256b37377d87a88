import { InputError } from '../errors.ts';

/** A page of rows with its cursors. */
export interface RowPage<Node> {
  readonly nodes: readonly Node[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** The number of rows of the whole list; null if not requested. */
  readonly totalCount: number | null;
  cursorAt(index: number): string;
}

/**
 * A GraphQL connection (Relay cursor connections specification), which computes edges and cursors lazily. A class, as those
 * below: V8 gives each object literal with a getter its own hidden class, and each row has an edge.
 */
export class RelayConnection<Node> {
  readonly nodes: readonly Node[];
  readonly totalCount: number | null;
  readonly pageInfo: LazyPageInfo;
  readonly #rows: RowPage<Node>;

  constructor(rows: RowPage<Node>) {
    this.nodes = rows.nodes;
    this.totalCount = rows.totalCount;
    this.pageInfo = new LazyPageInfo(rows);
    this.#rows = rows;
  }

  get edges(): readonly LazyEdge<Node>[] {
    return this.nodes.map((node, index) => new LazyEdge(this.#rows, node, index));
  }
}

class LazyPageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly #rows: RowPage<unknown>;

  constructor(rows: RowPage<unknown>) {
    this.hasNextPage = rows.hasNextPage;
    this.hasPreviousPage = rows.hasPreviousPage;
    this.#rows = rows;
  }

  get startCursor(): string | null {
    return this.#rows.nodes.length === 0 ? null : this.#rows.cursorAt(0);
  }

  get endCursor(): string | null {
    const { length } = this.#rows.nodes;
    return length === 0 ? null : this.#rows.cursorAt(length - 1);
  }
}

class LazyEdge<Node> {
  readonly node: Node;
  readonly #rows: RowPage<Node>;
  readonly #index: number;

  constructor(rows: RowPage<Node>, node: Node, index: number) {
    this.node = node;
    this.#rows = rows;
    this.#index = index;
  }

  get cursor(): string {
    return this.#rows.cursorAt(this.#index);
  }
}

/** The maximum page size of all lists. */
export const maxFirst = 1000;
const defaultPageSize = 50;

/** Returns the page size. Throws an `InputError` unless `first` is 1 to 1000, or not given. */
export function readFirst(first: number | null | undefined): number {
  const size = first ?? defaultPageSize;
  if (size >= 1 && size <= maxFirst) return size;
  throw new InputError(`\`first\` is ${size}; it must be 1 to ${maxFirst}.`);
}
