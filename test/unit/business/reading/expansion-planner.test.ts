import { type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../../../src/app/schema/schema.ts';
import { getDialect } from '../../../../src/business/dialect.ts';
import { createExpansionPlanning } from '../../../../src/business/reading/expansion-planner.ts';
import { createRowParser } from '../../../../src/business/reading/row-parser.ts';
import { salesOrders } from '../../../../src/business/records/sales-orders.ts';
import { createSelectionCache } from '../../../../src/graph/selection.ts';
import type { TransferEstimate } from '../../../../src/http/resilience/transfer-times.ts';

const dialect = getDialect('dynamics');
const selections = createSelectionCache(createSchema());

function selectOrders(fields: string) {
  const document = parse(`{ company { salesOrders { nodes { ${fields} } } } }`);
  const selection = selections(document, document.definitions[0] as OperationDefinitionNode, {});
  return selection.ofType('SalesOrder');
}

function plannerOf(transfer: TransferEstimate, quotaMs = 0) {
  const planning = createExpansionPlanning({
    mode: 'auto',
    dialect,
    quotaMs,
    transferTimes: () => transfer,
    onRefused: () => {},
  });
  return planning('a principal');
}

const wide = selectOrders(
  'customer { number displayName addressLine1 addressLine2 city state country phoneNumber email website }',
);
const near = { roundTripMs: 1, msPerByte: 0 };

/** Teaches a planner that orders lead to this many customers. */
function learnRepeats(planner: ReturnType<typeof plannerOf>, orders: number, customers: number) {
  const view = planner.plan(salesOrders, wide, 10);
  const parser = createRowParser(view, 'company');
  for (let index = 0; index < orders; index++) {
    const id = `00000000-0000-4000-8000-${String(index % customers).padStart(12, '0')}`;
    parser.parse({ id, customerId: id, customer: { id, displayName: 'Contoso' } });
  }
  planner.learn(view, parser);
}

const isExpanded = (planner: ReturnType<typeof plannerOf>, rows: number) =>
  planner.plan(salesOrders, wide, rows).expansions.some(({ field }) => field === 'customer');

describe('a relation is expanded', () => {
  test('while nothing shows that its records repeat', () => {
    expect(isExpanded(plannerOf(near), 1000)).toBe(true);
  });

  test('as long as repeated records take less time than a call', () => {
    const planner = plannerOf(near);
    learnRepeats(planner, 100, 2);

    expect(isExpanded(planner, 50)).toBe(true);
    expect(isExpanded(planner, 1000)).toBe(false);
  });

  test('for more rows where the upstream is far, and for fewer where bytes are slow', () => {
    const far = plannerOf({ roundTripMs: 150, msPerByte: 0 });
    learnRepeats(far, 100, 2);
    expect(isExpanded(far, 1000)).toBe(true);

    const slow = plannerOf({ roundTripMs: 1, msPerByte: 0.0004 });
    learnRepeats(slow, 100, 2);
    expect(isExpanded(slow, 50)).toBe(false);
  });

  test('for more rows where calls count against a quota', () => {
    const planner = plannerOf(near, 50);
    learnRepeats(planner, 100, 2);

    expect(isExpanded(planner, 1000)).toBe(true);
  });
});

test('the same decisions give the same view', () => {
  const planner = plannerOf(near);

  expect(planner.plan(salesOrders, wide, 5)).toBe(planner.plan(salesOrders, wide, 6));
});
