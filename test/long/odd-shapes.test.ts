import { test as base, expect, onTestFinished } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { type Answer, startTestLayer } from '../support/layer.ts';
import { actionInput, place, stop } from '../support/operations.ts';
import { startStub } from '../support/stub.ts';
import { lookForHarm, type Odd, oddOnes } from '../support/upstreams/odd-shapes.ts';
import {
  customer,
  event,
  id,
  instance,
  list,
  listed,
  operation,
  order,
  refusal,
} from '../support/upstreams/upstream-bodies.ts';

const eventFields = `trackingId title eventType eventTags priority newRate lastUpdateTime
  article { articleContent parameters } links { type displayText { value } parameters }
  impact { impactedService impactedServiceGuid impactedRegions { impactedRegion lastUpdateTime updates { summary } } }
  recommendedActions { message actions { actionText groupId } } faqs { question }`;
const customerFields = 'id etag number displayName type balanceDue taxLiable blocked lastModifiedDateTime';
const itemFields = 'number displayName unitPrice baseUnitOfMeasure { unitName symbol }';
const instanceName = { ...place, applicationInstanceName: 'app01' };
const names = Object.entries(instanceName)
  .map(([name, value]) => `${name}: "${value}"`)
  .join(' ');
const orders = `{ company { salesOrders(first: 2) {
  totalCount pageInfo { endCursor }
  edges { cursor }
  nodes {
    number postingDate status totalAmountIncludingTax
    customer { ${customerFields} paymentTerm { displayName } }
    paymentTerm { displayName }
    documentLines { lineType quantity item { ${itemFields} } }
  }
} } }`;
const five = [1, 2, 3, 4, 5];
const many = `{ company { ${five.map((first) => `a${first}: customers(first: ${first}) { nodes { ${customerFields} } }`).join(' ')} } }`;
const entries = [1, 2].map((n) => ({
  id: id.replace(/1$/, String(n)),
  ifMatch: '*',
  patch: { displayName: 'x' },
}));

/** What is asked of the layer, and the upstream's answers for it by their addresses: each is played in turn. */
interface Play {
  readonly ask: string;
  readonly variables?: object;
  readonly status?: number;
  readonly answers: Readonly<Record<string, unknown>>;
}

const plays: Readonly<Record<string, Play>> = {
  'a list with all that hangs below it': {
    ask: orders,
    // By its number, which no row need have.
    answers: { 'GET .*salesOrders': list(order), 'GET .*items': list({ id, number: '1000' }) },
  },
  'a batch': {
    ask: many,
    answers: {
      'POST .*batch': {
        responses: five.map((n) => ({
          id: String(n - 1),
          status: 200,
          headers: { etag: 'x' },
          body: list(customer),
        })),
      },
    },
  },
  'a change': {
    ask: `mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) { customer { ${customerFields} } userErrors { code } } }`,
    variables: { input: entries[0] },
    answers: { 'PATCH .*customers': customer },
  },
  'a create': {
    ask: 'mutation ($input: CreateSalesOrderInput!) { createSalesOrder(input: $input) { salesOrder { number documentLines { quantity } } userErrors { code } } }',
    variables: {
      input: {
        customerNumber: 'C1',
        documentLines: [{ lineType: 'Item', itemNo: '1000', quantity: 1 }],
      },
    },
    answers: { 'POST .*salesOrders': order },
  },
  'many changes': {
    ask: 'mutation ($input: BatchInput!) { batch(input: $input) { results { record { ... on Customer { displayName } } userErrors { code } } } }',
    variables: { input: { entries: entries.map((entry) => ({ updateCustomer: entry })) } },
    answers: {
      'POST .*batch': {
        responses: entries.map((entry, n) => ({
          id: String(n),
          status: 200,
          body: { ...customer, id: entry.id },
        })),
      },
    },
  },
  'a change refused': {
    ask: `mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) { customer { displayName } userErrors { code message upstream { code details { message } additionalInfo { info } } } } }`,
    variables: { input: entries[0] },
    status: 400,
    answers: { 'PATCH .*customers': refusal },
  },
  'an instance': {
    ask: `{ applicationInstance(${names}) { name tags status health gatewayPort loadBalancerId virtualMachines { type virtualMachineId storageIds } error { code details { code } additionalInfo { info } } createdAt } }`,
    answers: { 'GET .*applicationInstances': instance },
  },
  'a stop': {
    ask: stop,
    variables: { input: actionInput(instanceName) },
    answers: { 'POST .*stop': operation },
  },
  'a health event': {
    ask: `{ healthEvent(trackingId: "SI_1") { ${eventFields} } }`,
    answers: { 'GET .*events': listed, 'POST .*fetchEventDetails': event },
  },
  'health events': {
    ask: `{ healthEvents(orderBy: [PRIORITY_ASC, TITLE_ASC], filter: { not: { title: { eq: "y" } } }) { totalCount nodes { ${eventFields} } edges { cursor } } }`,
    answers: { 'GET .*events': { value: [listed], nextLink: null }, 'POST .*fetchEventDetails': event },
  },
};

const test = base.extend(
  'scene',
  { scope: 'file' },
  fixture(async ({ onCleanup }) => {
    const scene = { play: null as Play | null, odd: null as (Odd & { readonly address: string }) | null };
    const stub = await startStub(({ method, target }) => {
      const address = Object.keys(scene.play?.answers ?? {}).find((one) =>
        new RegExp(one).test(`${method} ${target}`),
      );
      const isOdd = address !== undefined && address === scene.odd?.address;
      if (address === undefined && method === 'GET') {
        const [named] = target.match(/(?<=\()[0-9a-f-]{36}(?=\)(\?|$))/) ?? [];
        return { body: named ? { ...customer, id: named } : list(customer) };
      }
      const status = method === 'POST' && target.includes('/stop') ? 202 : 200;
      return {
        status: address === undefined ? 404 : (scene.play?.status ?? status),
        headers: { 'vendor-asyncoperation': '/operations/1' },
        body: isOdd ? scene.odd?.text : scene.play?.answers[address ?? ''],
      };
    });
    const layer = await startTestLayer(stub.url, { BUSINESS_COMPANY_ID: id, MAX_COST: '1000000' });
    onCleanup(async () => {
      await layer.stop();
      stub.stop();
    });
    return Object.assign(scene, { layer });
  }),
);

const ours = {
  upstream: expect.stringMatching(/^(business|instances|health)$/),
  requestId: expect.any(String),
};

/** What it says to a caller is its own: no stack, no place, no host, no word of the upstream's or of a library's. */
function expectOwnWords({ status, errors = [] }: Answer): void {
  expect(status).toBe(200);
  for (const { message, locations, path, extensions, ...rest } of errors) {
    expect(rest).toEqual({});
    expect([locations, path]).not.toContain(undefined);
    const { upstreamError: _theirs, retryAfterSeconds: _seconds, code, ...own } = extensions;
    // A value of the upstream that was sent back as an argument.
    if (code === 'BAD_USER_INPUT') continue;
    expect(own).toEqual(ours);
    expect(code).toMatch(/^(UPSTREAM_[A-Z_]+|UNAUTHENTICATED|FORBIDDEN)$/);
    expect(message).toMatch(/^[A-Z][A-Za-z0-9 ,.:;`'<>()_-]+\.$/);
    expect(message).not.toMatch(
      /\bat [\w.]+ \(|node:|undici|https?:|\/api|localhost|127\.0\.0\.1|token [^.]* in JSON|Error/,
    );
  }
}

test.for(Object.keys(plays))(
  'whatever JSON an upstream responds with to %s, the result is no internal error',
  async (name, { scene }) => {
    const { layer } = scene;
    const play = plays[name] as Play;
    Object.assign(scene, { play, odd: null });
    const ask = () => layer.query(play.ask, play.variables as Record<string, unknown>);
    const usual = await ask();
    if (play.status === undefined) expect(usual.errors).toBeUndefined();
    const harm = lookForHarm(layer);
    onTestFinished(harm.stop);
    for (const [address, body] of Object.entries(play.answers)) {
      for (const odd of oddOnes(body)) {
        scene.odd = { ...odd, address };
        const answer = await ask();
        expectOwnWords(answer);
        harm.look(`${address} ${odd.what}`, answer);
      }
    }
    expect(harm.all).toEqual([]);
    scene.odd = null;
    expect((await ask()).errors?.length).toBe(usual.errors?.length);
  },
);
