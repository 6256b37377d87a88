import { InputError } from '../errors.ts';

/** A page of rows, and how to name a place in it. */
export interface Rows<Node> {
  readonly nodes: readonly Node[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** How many rows the whole list has, or null when it was not asked. */
  readonly totalCount: number | null;
  cursorAt(index: number): string;
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
export function connectionOf<Node>(rows: Rows<Node>): Connection<Node> {
  const { nodes, totalCount, hasNextPage, hasPreviousPage } = rows;
  const cursorAt = (index: number) => (nodes.length === 0 ? null : rows.cursorAt(index));
  return {
    nodes,
    totalCount,
    get edges() {
      return nodes.map((node, index) => ({
        node,
        get cursor() {
          return rows.cursorAt(index);
        },
      }));
    },
    pageInfo: {
      hasNextPage,
      hasPreviousPage,
      get startCursor() {
        return cursorAt(0);
      },
      get endCursor() {
        return cursorAt(nodes.length - 1);
      },
    },
  };
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
