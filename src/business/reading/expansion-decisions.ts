import type { ExpansionCosts } from './expansion-cost.ts';

/** Whether a relation is to be expanded, and why. */
export type Decision =
  | { readonly isExpanded: boolean; readonly reason: 'required' | 'always' | 'never' | 'refused' | 'beside' }
  | { readonly isExpanded: boolean; readonly reason: 'cost'; readonly costs: ExpansionCosts };

/** What explain says of a decision and of what came of it; the decision is null where the record that the relation starts from is not expanded. */
export function describeDecision(decision: Decision | null, isExpanded: boolean): string {
  switch (decision?.reason) {
    case undefined:
      return 'The record that it starts from is loaded by key.';
    case 'required':
      return 'These rows come only with the record that they belong to.';
    case 'always':
    case 'never':
      return `BUSINESS_EXPAND=${decision.reason}`;
    case 'refused':
      return 'The upstream refused or ignored this expansion.';
    case 'beside':
      return 'A relation beside it loads records of the same set by key.';
    case 'cost': {
      const { extraBytes, extraMs, callMs } = decision.costs;
      if (decision.isExpanded && !isExpanded)
        return 'The upstream refused several expansions together, and another one is tried first.';
      return `Repeated records add about ${extraBytes} bytes and ${extraMs.toFixed(2)} ms; a call takes ${callMs.toFixed(2)} ms.`;
    }
  }
}
