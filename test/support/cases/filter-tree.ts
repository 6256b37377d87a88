/**
 * A `$filter` as a tree, read by nothing that the layer or the sandbox has: an operator with its operands, a name or
 * another bare word, or the text of a literal.
 */
export type Tree = string | { readonly text: string } | readonly Tree[];

interface Token {
  /** What stands between quotes, with its doubled quotes made single; undefined for what does not. */
  readonly text?: string;
  readonly word: string;
}

/** Throws for what is no filter from its first character to its last. */
export function treeOf(filter: string): Tree {
  const tokens = tokensOf(filter);
  let at = 0;
  const take = (word: string) => {
    const isNext = tokens[at]?.word === word;
    if (isNext) at += 1;
    return isNext;
  };
  const demand = (word: string) => {
    if (!take(word)) throw new Error(`no ${word} at token ${at} of ${filter}`);
  };

  const joined = (word: 'or' | 'and', operand: () => Tree): Tree => {
    const operands = [operand()];
    while (take(word)) operands.push(operand());
    return operands.length === 1 ? (operands[0] as Tree) : [word, ...operands];
  };
  const any = (): Tree => joined('or', all);
  const all = (): Tree => joined('and', one);
  const one = (): Tree => {
    if (take('not')) return ['not', one()];
    if (take('(')) {
      const inner = any();
      demand(')');
      return inner;
    }
    const name = tokens[at++]?.word ?? '';
    if (!/^[A-Za-z]\w*$/.test(name)) throw new Error(`no name but ${name} in ${filter}`);
    if (!take('(')) return [tokens[at++]?.word ?? '', name, value()];
    const left = tokens[at++]?.word ?? '';
    demand(',');
    const right = value();
    demand(')');
    return [name, left, right];
  };
  const value = (): Tree => {
    const { text, word = '' } = tokens[at++] ?? {};
    if (text === undefined && !/^[\w.:+-]+$/.test(word)) throw new Error(`no value but ${word} in ${filter}`);
    return text === undefined ? word : { text };
  };

  const tree = any();
  if (at !== tokens.length) throw new Error(`${filter} goes on behind its end`);
  return tree;
}

function tokensOf(filter: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < filter.length; ) {
    if (filter[at] === "'") {
      let end = at + 1;
      // A quote ends it unless another follows.
      while (filter[end] !== "'" || filter[end + 1] === "'") {
        if (end >= filter.length) throw new Error(`a literal of ${filter} has no end`);
        end += filter[end] === "'" ? 2 : 1;
      }
      tokens.push({
        text: filter
          .slice(at + 1, end)
          .split("''")
          .join("'"),
        word: 'a literal',
      });
      at = end + 1;
    } else {
      const word = /^(?:[(),]|[^\s'(),]+| )/.exec(filter.slice(at))?.[0];
      if (word === undefined) throw new Error(`no token at ${at} of ${filter}`);
      if (word !== ' ') tokens.push({ word });
      at += word.length;
    }
  }
  return tokens;
}
