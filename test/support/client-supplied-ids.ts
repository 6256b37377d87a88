import { expect } from 'vitest';
import { startTestLayer, type TestLayer, testWith } from './layer.ts';
import type { TestSandbox } from './sandbox.ts';

export const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** What the sandbox does with ids in creates. */
type IdPolicy = 'honour' | 'drop' | 'refuse';

/** Tests with a layer each: what a layer has learnt of ids holds until it stops. */
export const testWithIds = (
  chosenIds: IdPolicy | Partial<Record<string, IdPolicy>>,
  settings: Record<string, string> = {},
) =>
  testWith(
    { chosenIds, dialect: settings.BUSINESS_DIALECT === 'dynamics' ? 'dynamics' : 'document' },
    {},
  ).extend('fresh', async ({ sandbox }, { onCleanup }) => {
    const layer = await startTestLayer(sandbox.url, settings);
    onCleanup(() => layer.stop());
    return layer;
  });

/** Creates a record and returns the payload, with the record's `id` and `number` as `record`. */
export async function createRecord(
  layer: TestLayer,
  input: object,
  type: 'Customer' | 'SalesOrder' = 'Customer',
) {
  const field = type === 'Customer' ? 'customer' : 'salesOrder';
  const { data, errors } = await layer.query(
    `mutation ($input: Create${type}Input!) { payload: create${type}(input: $input) {
      record: ${field} { id number } userErrors { code }
    } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.payload;
}

/** The calls, each as its method, its status and the id in its body. */
export const callsWithIds = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ method, status, body }) => [
    method,
    status,
    body === '' ? undefined : (JSON.parse(body).id as string | undefined),
  ]);

export const unknownOutcome = { record: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] };
