import { test as base, expect } from 'vitest';
import { sandboxCompanyId } from '../../sandbox/seed/seed.ts';
import { fixture } from '../support/fixture.ts';
import { type Running, startTributary } from '../support/process.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

const id = '44444444-4444-4444-8444-444444444444';

const input = { id, displayName: 'Brindle', city: 'Oslo' };

interface Payload {
  readonly customer: Readonly<Record<string, string>> | null;
  readonly userErrors: readonly { readonly code: string }[];
}

/** One process of the layer in front of a sandbox. */
interface Replica extends Pick<Running, 'stop'> {
  create(given: object): Promise<Payload>;
}

const mutation = `mutation ($input: CreateCustomerInput!) {
  createCustomer(input: $input) { customer { id displayName city } userErrors { code } }
}`;

async function replicaOf({ printed, stop }: Running): Promise<Replica> {
  const url = /at (\S+\/graphql)/.exec(await printed(/graphql[,"]/))?.[1] ?? '';
  return {
    stop,
    async create(given) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer somebody' },
        body: JSON.stringify({ query: mutation, variables: { input: given } }),
      });
      return ((await response.json()) as { data: { createCustomer: Payload } }).data.createCustomer;
    },
  };
}

const test = base
  .extend(
    'sandbox',
    fixture(async ({ onCleanup }) => {
      const sandbox = await startTestSandbox();
      onCleanup(() => sandbox.stop());
      return sandbox;
    }),
  )
  .extend('replicas', async ({ sandbox }, { onCleanup }) => {
    const settings = {
      PORT: '0',
      BUSINESS_URL: sandbox.url,
      BUSINESS_COMPANY_ID: sandboxCompanyId,
      OPERATION_SECRETS: 'a secret of the test',
    };
    const [first, second] = [startTributary(['serve'], settings), startTributary(['serve'], settings)];
    onCleanup(async () => {
      await Promise.all([first.stop('SIGKILL'), second.stop('SIGKILL')]);
    });
    return Promise.all([replicaOf(first), replicaOf(second)] as const);
  });

/** Sends a create to a replica, and kills it as soon as the upstream has the request. */
async function createAndKill(replica: Replica, sandbox: TestSandbox): Promise<void> {
  await sandbox.forgetCalls();
  const lost = expect(replica.create(input)).rejects.toThrow();
  await expect.poll(async () => (await sandbox.calls())[0]?.body, { interval: 5 }).toBeTruthy();
  await replica.stop('SIGKILL');
  await lost;
}

/** The customers of the name, whatever was answered about them. */
async function stored(sandbox: TestSandbox) {
  const response = await sandbox.send('GET', '/sandbox/records?set=customers');
  const { records } = (await response.json()) as {
    records: { id: string; version: number; values: Record<string, string> }[];
  };
  return records.filter(({ values }) => values.displayName === input.displayName);
}

const calls = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ method, status }) => [method, status]);

test('a create whose process is killed before it is answered is sent again to another replica by its caller, and makes one record', async ({
  replicas: [first, second],
  sandbox,
}) => {
  await sandbox.fault({ method: 'POST', delayMs: 10_000 });
  await createAndKill(first, sandbox);

  const again = await second.create(input);

  expect(again).toEqual({ customer: input, userErrors: [{ code: 'ALREADY_EXISTS' }] });
  expect(await stored(sandbox)).toMatchObject([{ id, version: 1 }]);
  expect(await calls(sandbox)).toEqual([
    ['POST', 0],
    ['POST', 409],
    ['GET', 200],
  ]);
});

test('a create that arrives after its process is killed, and after another replica has made it, makes no second record', async ({
  replicas: [first, second],
  sandbox,
}) => {
  await sandbox.fault({ method: 'POST', lateMs: 3_000 });
  await createAndKill(first, sandbox);

  const again = await second.create(input);

  expect(again).toEqual({ customer: input, userErrors: [] });
  await expect
    .poll(() => calls(sandbox))
    .toEqual([
      ['POST', 409],
      ['POST', 201],
    ]);
  expect(await stored(sandbox)).toMatchObject([{ id, version: 1 }]);
});
