import { expect } from 'vitest';
import { test } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const read = '{ company { employees(first: 1) { nodes { id etag } } } }';

const mutations = {
  PATCH: `mutation ($id: UUID!, $ifMatch: String!) {
    done: updateEmployee(input: { id: $id, ifMatch: $ifMatch, patch: { jobTitle: "Baker" } }) {
      employee { id jobTitle } userErrors { code }
    }
  }`,
  DELETE: `mutation ($id: UUID!, $ifMatch: String!) {
    done: deleteEmployee(input: { id: $id, ifMatch: $ifMatch }) { employee { id } userErrors { code } }
  }`,
} as const;

/** A write that is answered 503 with a wish to wait, and was not carried out. */
async function lose(sandbox: TestSandbox, method: string, seconds: number) {
  await sandbox.forgetCalls();
  await sandbox.fault({ method, status: 503, headers: { 'retry-after': String(seconds) }, body: {} });
}

const methodsOf = async (sandbox: TestSandbox) => (await sandbox.calls()).map(({ method }) => method);

test.for(['PATCH', 'DELETE'] as const)(
  "a lost %s is retried only after the upstream's Retry-After",
  async (method, { layer, sandbox }) => {
    const { data } = await layer.query(read);
    const { id, etag: ifMatch } = data.company.employees.nodes[0];
    await lose(sandbox, method, 1);
    const begin = performance.now();

    const { data: answer } = await layer.query(mutations[method], { id, ifMatch });

    expect(performance.now() - begin).toBeGreaterThanOrEqual(1_000);
    expect(answer.done.userErrors).toEqual([]);
    expect(await methodsOf(sandbox)).toEqual([method, 'GET', method]);
  },
);

test.for(['PATCH', 'DELETE'] as const)(
  "a lost %s is neither verified nor retried where the upstream's Retry-After exceeds a minute",
  async (method, { layer, sandbox }) => {
    // Another caller each time: this one is to wait when the test is over.
    const caller = { authorization: `Bearer who-sends-a-${method}` };
    const { data } = await layer.query(read, {}, caller);
    const { id, etag: ifMatch } = data.company.employees.nodes[0];
    await lose(sandbox, method, 61);

    const { data: answer } = await layer.query(mutations[method], { id, ifMatch }, caller);

    expect(answer.done).toEqual({
      employee: null,
      userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
    });
    expect(await methodsOf(sandbox)).toEqual([method]);
  },
);
