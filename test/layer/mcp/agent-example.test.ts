import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, testWith } from '../../support/layer.ts';
import { answerOf, connectAgent } from '../../support/mcp.ts';

const manifest = 'examples/agent/generated/persisted-documents.json';
const settings = {
  MCP: 'on',
  TRUSTED_DOCUMENTS: 'require',
  TRUSTED_DOCUMENTS_MANIFEST: manifest,
  INTROSPECTION: 'off',
};
const test = testWith({}, settings);

const subscriptionId = '11111111-2222-4333-8444-555555555555';
const instance = {
  subscriptionId,
  resourceGroupName: 'rg-north',
  virtualInstanceName: 'N01',
  applicationInstanceName: 'app01',
};

test('the example has ten tools, each with its description', async ({ layer }) => {
  const client = await connectAgent(layer.url);
  const { tools } = await client.listTools();
  await client.close();

  expect(
    tools
      .map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint])
      .sort(),
  ).toEqual([
    ['CreateSalesOrder', false, false],
    ['FindCustomers', true, false],
    ['FindItems', true, false],
    ['FindSalesOrders', true, false],
    ['ListHealthEvents', true, false],
    ['ListVirtualInstances', true, false],
    ['ReadOperation', true, false],
    ['StartApplicationInstance', false, false],
    ['StopApplicationInstance', false, true],
    ['UpdateCustomer', false, true],
  ]);
  for (const { description } of tools) expect(description).toMatch(/^[A-Z].{40}/);
  const readme = readFileSync('examples/agent/README.md', 'utf8');
  for (const { name } of tools) expect(readme).toContain(`\`${name}\``);
});

test('an agent finds a customer, changes it, and orders items for it', async ({ layer }) => {
  const client = await connectAgent(layer.url);
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args });
    expect(result.isError, JSON.stringify(result)).toBeUndefined();
    return answerOf(result).data;
  };
  const found = await call('FindCustomers', { filter: { number: { eq: 'C10000' } } });
  const [{ id, etag }] = found.company.customers.nodes;
  const changed = await call('UpdateCustomer', { id, ifMatch: etag, patch: { city: 'Bergen' } });
  const stale = await call('UpdateCustomer', { id, ifMatch: etag, patch: { city: 'Oslo' } });
  const items = await call('FindItems', { filter: { blocked: { eq: false } }, first: 1 });
  const [{ number: itemNumber }] = items.company.items.nodes;
  const created = await call('CreateSalesOrder', {
    customerNumber: 'C10000',
    lines: [{ subject: { item: { number: itemNumber } }, quantity: '2' }],
  });
  const orders = await call('FindSalesOrders', {
    filter: { number: { eq: created.createSalesOrder.salesOrder.number } },
  });
  await client.close();

  expect(changed.updateCustomer).toMatchObject({ customer: { city: 'Bergen' }, userErrors: [] });
  expect(stale.updateCustomer).toMatchObject({ userErrors: [{ code: 'STALE_RECORD' }] });
  expect(orders.company.salesOrders.nodes).toMatchObject([
    { customer: { number: 'C10000' }, documentLines: [{ itemNo: itemNumber, quantity: '2' }] },
  ]);
});

test('without a default company, the tools over business records take one', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { ...settings, BUSINESS_COMPANY_ID: '' });
  const client = await connectAgent(layer.url);
  const call = async (name: string, args: object) => {
    const answer = answerOf(await client.callTool({ name, arguments: { ...args } }));
    return answer.errors?.[0].message ?? answer.data;
  };
  const unnamed = await call('FindItems', { first: 1 });
  const byCompany = (name: string, args: object) => call(name, { companyId: sandboxCompanyId, ...args });
  const items = await byCompany('FindItems', { first: 1 });
  const { company } = await byCompany('FindCustomers', { first: 1 });
  const [{ id, number }] = company.customers.nodes;
  const changed = await byCompany('UpdateCustomer', { id, ifMatch: '*', patch: { city: 'Bergen' } });
  const created = await byCompany('CreateSalesOrder', {
    customerNumber: number,
    lines: [{ subject: { item: { number: items.company.items.nodes[0].number } }, quantity: '2' }],
  });
  const orders = await byCompany('FindSalesOrders', { filter: { customerNumber: { eq: number } }, first: 1 });
  await client.close();
  await layer.stop();

  expect(unnamed).toContain('`companies { nodes { id name } }` lists them');
  expect(changed.updateCustomer).toMatchObject({ customer: { city: 'Bergen' }, userErrors: [] });
  expect(created.createSalesOrder.userErrors).toEqual([]);
  expect(orders.company.salesOrders.nodes).toHaveLength(1);
});

test('an agent looks at health, stops an instance, and starts it again', async ({ layer }) => {
  const client = await connectAgent(layer.url);
  const events = await client.callTool({ name: 'ListHealthEvents' });
  const listed = await client.callTool({ name: 'ListVirtualInstances', arguments: { subscriptionId } });
  const stopped = await client.callTool(
    { name: 'StopApplicationInstance', arguments: instance },
    { onprogress: () => {} },
  );
  const { id } = answerOf(stopped).data.stopApplicationInstance.operation;
  const operation = await client.callTool({ name: 'ReadOperation', arguments: { id } });
  const started = await client.callTool(
    { name: 'StartApplicationInstance', arguments: instance },
    { onprogress: () => {} },
  );
  await client.close();

  expect(answerOf(events).data.healthEvents.nodes.length).toBeGreaterThan(0);
  expect(
    answerOf(listed).data.virtualInstances.nodes.map(
      (one: { virtualInstanceName: string }) => one.virtualInstanceName,
    ),
  ).toContain('N01');
  expect(answerOf(stopped).progress.operation.state).toBe('SUCCEEDED');
  expect(answerOf(operation).data.instanceOperation).toMatchObject({ action: 'STOP', state: 'SUCCEEDED' });
  expect(answerOf(started).progress.operation.state).toBe('SUCCEEDED');
});
