import { badRequest, Refusal } from '../refusal.ts';
import type { Expression } from './filter.ts';
import { expressionsOf } from './filter.ts';
import type { RecordSet } from './records.ts';

/** What a service can do with a `$filter` and with `$orderby`, beyond what all can. */
export interface FilterRules {
  /** Whether `or` may stand between conditions on different fields. */
  readonly joinsFieldsByOr: boolean;
  readonly hasNot: boolean;
  readonly hasIn: boolean;
  /** Whether the operand of a function may be a function. */
  readonly nestsFunctions: boolean;
  /** Whether a filter with `any` or `all` is dropped as a whole instead of refused. */
  readonly dropsLambdas: boolean;
  /** Whether fields that are made for each answer can be filtered and sorted by. */
  readonly findsByComputed: boolean;
}

/** Everything but lambdas: nothing in the document forbids it. */
export const allFilters: FilterRules = {
  joinsFieldsByOr: true,
  hasNot: true,
  hasIn: true,
  nestsFunctions: true,
  dropsLambdas: false,
  findsByComputed: true,
};

/** What the real service does; 2.1 of its query schema brings `in` and nested functions. */
export function dynamicsFilters(schemaVersion: string | undefined): FilterRules {
  const isNewer = schemaVersion === '2.1';
  return {
    joinsFieldsByOr: false,
    hasNot: false,
    hasIn: isNewer,
    nestsFunctions: isNewer,
    dropsLambdas: true,
    findsByComputed: false,
  };
}

/**
 * The filter that is carried out: the one given, or none where the rules drop it. Throws a `Refusal`
 * for what they cannot do: 501 BadRequest_MethodNotImplemented, or 400 BadRequest for a computed field.
 */
export function permitted(filter: Expression, rules: FilterRules, set: RecordSet): Expression | undefined {
  const expressions = [...expressionsOf(filter)];
  if (rules.dropsLambdas && expressions.some(({ kind }) => kind === 'lambda')) return undefined;
  for (const expression of expressions) {
    if (expression.kind === 'or' && !rules.joinsFieldsByOr && fieldsOf(expression).size > 1) {
      throw notImplemented(`The 'OR' operator is not supported on distinct fields on an OData filter.`);
    }
    if (expression.kind === 'not' && !rules.hasNot) throw unsupported('NOT');
    if (expression.kind === 'in' && !rules.hasIn) throw unsupported('IN');
    if (expression.kind === 'call' && !rules.nestsFunctions && expression.operands.some(isCall)) {
      throw notImplemented('Nested functions are not supported on an OData filter.');
    }
    if (expression.kind === 'field') expectFindable(expression.name, rules, set);
  }
  return filter;
}

/** Refuses to filter or sort by a field that the rules cannot find by. */
export function expectFindable(name: string, rules: FilterRules, set: RecordSet): void {
  if (rules.findsByComputed || !set.fields.some((field) => field.name === name && field.isComputed)) return;
  throw badRequest(
    `The property '${name}' on type 'Microsoft.NAV.${set.typeName}' is not bound directly to a table field, so it can be neither filtered nor sorted by.`,
  );
}

function fieldsOf(filter: Expression): Set<string> {
  return new Set([...expressionsOf(filter)].flatMap((one) => (one.kind === 'field' ? [one.name] : [])));
}

const isCall = (expression: Expression) => expression.kind === 'call';

function unsupported(operator: string): Refusal {
  return notImplemented(`The '${operator}' operator is not supported on an OData filter.`);
}

function notImplemented(message: string): Refusal {
  return new Refusal(501, 'BadRequest_MethodNotImplemented', message);
}
