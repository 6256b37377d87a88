import { InputError } from '../errors.ts';

/** A page of rows, and how to name a place in it. */
export interface Rows<Node> {
  readonly nodes: readonly Node[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** How many rows the whole list has, or null when it was not asked. */
  readonly totalCount: number | null;
  cursorAt(index: number): string;
  /** How long its cursors are at most, about. */
  cursorBytes(): number;
}

/** A Relay connection, as the schema's connection types read it. */
export interface Connection<Node> {
  readonly nodes: readonly Node[];
  readonly edges: readonly { readonly node: Node; readonly cursor: string }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly totalCount: number | null;
}

/** Rows as a connection. Edges and cursors are made only when they are read. */
export const connectionOf = <Node>(rows: Rows<Node>): Connection<Node> => new RowsConnection(rows);

// Classes, since every object literal with a getter has a shape of its own, and there is one for every row.
class RowsConnection<Node> implements Connection<Node> {
  readonly nodes: readonly Node[];
  readonly totalCount: number | null;
  readonly pageInfo: RowsPageInfo;
  readonly #rows: Rows<Node>;

  constructor(rows: Rows<Node>) {
    this.nodes = rows.nodes;
    this.totalCount = rows.totalCount;
    this.pageInfo = new RowsPageInfo(rows);
    this.#rows = rows;
  }

  get edges(): readonly RowEdge<Node>[] {
    return this.nodes.map((_node, index) => new RowEdge(this.#rows, index));
  }
}

class RowsPageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly #rows: Rows<unknown>;

  constructor(rows: Rows<unknown>) {
    this.hasNextPage = rows.hasNextPage;
    this.hasPreviousPage = rows.hasPreviousPage;
    this.#rows = rows;
  }

  get cursorBytes(): number {
    return this.#rows.cursorBytes();
  }

  get startCursor(): string | null {
    return this.#cursorAt(0);
  }

  get endCursor(): string | null {
    return this.#cursorAt(this.#rows.nodes.length - 1);
  }

  #cursorAt(index: number) {
    return this.#rows.nodes.length === 0 ? null : this.#rows.cursorAt(index);
  }
}

class RowEdge<Node> {
  readonly #rows: Rows<Node>;
  readonly #index: number;

  constructor(rows: Rows<Node>, index: number) {
    this.#rows = rows;
    this.#index = index;
  }

  get node(): Node {
    return this.#rows.nodes[this.#index] as Node;
  }

  get cursorBytes(): number {
    return this.#rows.cursorBytes();
  }

  get cursor(): string {
    return this.#rows.cursorAt(this.#index);
  }
}

/** The longest page of any list. */
export const maxFirst = 1000;
const defaultPageSize = 50;

/** `first` as a number of rows. Throws `InputError` outside 1 to 1000. */
export function readFirst(first: number | null | undefined): number {
  const size = first ?? defaultPageSize;
  if (size >= 1 && size <= maxFirst) return size;
  throw new InputError(`\`first\` is ${size}; it must be 1 to ${maxFirst}.`);
}
