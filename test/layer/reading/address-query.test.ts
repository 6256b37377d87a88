import { expect, onTestFinished, test } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';

const customer = { id: '6d115c9c-44e3-4a11-bb43-000000000001', displayName: 'Ada' };

test('the query of BUSINESS_URL is added to every call, and to no cursor', async () => {
  const targets: string[] = [];
  const stub = await startStub(({ target }) => {
    targets.push(target);
    const next = { '@odata.nextLink': `http://elsewhere${target}&$skiptoken=next` };
    return { body: { value: [customer], ...(target.includes('skiptoken') ? {} : next) } };
  });
  const layer = await startTestLayer(stub.url, {
    BUSINESS_URL: `${stub.url}/BC?tenant=contoso&mode=x`,
    BUSINESS_COMPANY_ID: '5d115c9c-44e3-4a11-bb43-000000000000',
  });
  onTestFinished(async () => {
    await layer.stop();
    stub.stop();
  });
  const { data } = await layer.query(
    '{ company { customers(first: 1) { nodes { id } pageInfo { endCursor } } } }',
  );
  const { endCursor } = data.company.customers.pageInfo;
  const next = await layer.query(
    `{ company { customers(first: 1, after: ${JSON.stringify(endCursor)}) { nodes { id } } } }`,
  );
  await layer.query(`{ company { customer(id: "${customer.id}") { displayName } } }`);

  expect(next.errors).toBeUndefined();
  expect(targets).toHaveLength(3);
  for (const target of targets) {
    expect(target).toMatch(/^\/BC\/api\/v2\.0\//);
    expect(target.match(/[?&]tenant=contoso&mode=x(?=&|$)/g)).toHaveLength(1);
  }
  expect(targets[1]).toContain('skiptoken=next');
});
