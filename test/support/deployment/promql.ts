import { parser } from '@prometheus-io/lezer-promql';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

/** A metric as an expression asks for it. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly values: readonly string[] }[];
  /** The labels by which it is put together, wherever that is done. */
  readonly by: readonly string[];
}

/** The metrics that an expression of PromQL asks for; throws where it is none. By Prometheus's own grammar. */
export function selectorsOf(expression: string): readonly Selector[] {
  const textOf = ({ from, to }: SyntaxNode) => expression.slice(from, to);
  const inside = (node: SyntaxNode, name: string): SyntaxNode[] => {
    const found: SyntaxNode[] = [];
    node.cursor().iterate((each) => {
      if (each.name === name) found.push(each.node);
    });
    return found;
  };
  const selectorOf = (node: SyntaxNode): Selector => {
    const by: string[] = [];
    for (let around = node.parent; around; around = around.parent) {
      const modifier = around.name === 'AggregateExpr' ? around.getChild('AggregateModifier') : null;
      if (modifier) by.push(...inside(modifier, 'LabelName').map(textOf));
    }
    const matchers = inside(node, 'UnquotedLabelMatcher').map((matcher) => {
      const [label = '', value = ''] = ['LabelName', 'StringLiteral'].map((name) =>
        inside(matcher, name).map(textOf).join(),
      );
      return { label, values: value.slice(1, -1).split('|') };
    });
    return { metric: inside(node, 'Identifier').map(textOf)[0] ?? '', matchers, by };
  };

  const { topNode } = parser.parse(expression);
  if (inside(topNode, '⚠').length > 0) throw new Error(`This is no PromQL: ${expression}`);
  return inside(topNode, 'VectorSelector').map(selectorOf);
}
