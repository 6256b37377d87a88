import { expect } from 'vitest';
import type { Json } from './json.ts';
import type { Event, TestLayer } from './layer.ts';

/** Stops an instance, with everything that can be known of it at once. */
export const stop = `mutation ($input: StopApplicationInstanceInput!) {
  stopApplicationInstance(input: $input) {
    operation { id operationId name state status startTime endTime percentComplete error { code } operations { name } }
    userErrors { code message path upstream { code message target details { code message } } }
  }
}`;

/** Follows an operation to its end. */
export const progress = `subscription ($id: ID!) {
  operationProgress(id: $id) {
    id state status percentComplete startTime endTime operations { name state }
    error { code message target details { code message } additionalInfo { type info } }
  }
}`;

/** Where the sandbox's instances are. */
export const place = {
  subscriptionId: '11111111-2222-4333-8444-555555555555',
  resourceGroupName: 'rg-north',
  virtualInstanceName: 'N01',
};

/** An application instance of the sandbox, as a query names it. */
export const app01 = Object.entries({ ...place, applicationInstanceName: 'app01' })
  .map(([name, value]) => `${name}: "${value}"`)
  .join(' ');

/** The input of a stop or start: the names of the instance, and what else there is. */
export const actionInput = ({ softStopTimeoutSeconds, ...names }: Readonly<Record<string, unknown>>) => ({
  instance: { names },
  ...(softStopTimeoutSeconds !== undefined && { softStopTimeoutSeconds }),
});

/** Stops an instance of the sandbox by its name, which says how it answers. */
export async function stopInstance(layer: TestLayer, applicationInstanceName: string, more: object = {}) {
  const { data, errors } = await layer.query(stop, {
    input: actionInput({ ...place, applicationInstanceName, ...more }),
  });
  expect(errors).toBeUndefined();
  return data.stopApplicationInstance;
}

/** Every state of a stream that has no errors, to its end. */
export async function collect(events: AsyncIterable<Event>) {
  const states: Json[] = [];
  for await (const { data, errors } of events) {
    expect(errors).toBeUndefined();
    states.push(data?.operationProgress);
  }
  return states;
}

let parameters = 0;

/** Parameters that no other stop has: one that may still run is looked for first, at the cost of a call. */
export function ofItsOwn(): { readonly softStopTimeoutSeconds: number } {
  parameters += 1;
  return { softStopTimeoutSeconds: parameters };
}
