import { describe, expect, test } from 'vitest';
import { startBeforeStub } from '../../support/layer.ts';
import { app01, place } from '../../support/operations.ts';
import type { StubAnswer, StubRequest } from '../../support/stub.ts';

const instance = `{ asked: applicationInstance(${app01}) { name } }`;
const act = (action: 'stop' | 'start') =>
  `mutation { asked: ${action}ApplicationInstance(input: { instance: { names: { ${app01} } } }) { operation { id } userErrors { code upstream { code } } } }`;
const event = (selection: string) => `{ asked: healthEvent(trackingId: "A") { ${selection} } }`;

async function asking(answer: (request: StubRequest) => StubAnswer) {
  const { layer, stub } = await startBeforeStub(answer, { UPSTREAM_ATTEMPTS: '3' });
  return async (query: string) => {
    const from = stub.requests.length;
    const { data, errors = [] } = await layer.query(query);
    return {
      asked: data.asked,
      errors: errors.map(({ path, extensions }) => [path?.join('.'), extensions.code]),
      calls: stub.requests
        .slice(from)
        .map(({ method }) => method)
        .join(' '),
    };
  };
}

const nested = (code: string) => ({ error: { code, message: `It says ${code}.` } });
const flat = (code: string) => ({ code, message: `It says ${code}.`, details: '' });
const plain = (more: object) => ({ body: { name: 'A', properties: { title: 'T', ...more } } });

describe.each(['NotFound', 'ResourceGroupNotFound'])('where areas B and C respond 404 with %s', (code) => {
  test('an instance is null, and its stop and start are NOT_FOUND, with one call each', async () => {
    const ask = await asking(() => ({ status: 404, body: nested(code) }));

    const refused = { operation: null, userErrors: [{ code: 'NOT_FOUND', upstream: { code } }] };
    expect(await ask(instance)).toEqual({ asked: null, errors: [], calls: 'GET' });
    for (const action of ['stop', 'start'] as const)
      expect(await ask(act(action))).toEqual({ asked: refused, errors: [], calls: 'POST' });
  });

  test('an event is null, with one call once a plain read of an event has succeeded', async () => {
    let isThere = false;
    const ask = await asking(() => (isThere ? plain({}) : { status: 404, body: flat(code) }));

    // Nothing shows yet that the upstream has plain reads.
    expect(await ask(event('title'))).toEqual({ asked: null, errors: [], calls: 'GET POST' });
    isThere = true;
    expect(await ask(event('title'))).toEqual({ asked: { title: 'T' }, errors: [], calls: 'GET' });
    isThere = false;
    expect(await ask(event('title summary'))).toEqual({ asked: null, errors: [], calls: 'GET' });
  });
});

describe.each([
  [
    'a page of a proxy that has a code',
    '<html><head><title>Gone</title></head><code>ResourceNotFound</code></html>',
  ],
  ['a code of area A', nested('Internal_RecordNotFound')],
])('404 with %s', (_what, body) => {
  const gone = { status: 404, body };

  test('of an instance is UPSTREAM_NOT_FOUND after three reads, of a stop or start after one attempt', async () => {
    const ask = await asking(() => gone);

    const errors = [['asked', 'UPSTREAM_NOT_FOUND']];
    expect(await ask(instance)).toEqual({ asked: null, errors, calls: 'GET GET GET' });
    for (const action of ['stop', 'start'] as const)
      expect(await ask(act(action))).toEqual({ asked: null, errors, calls: 'POST' });
  });
});

describe.each([
  [
    'a type of another version',
    'InvalidResourceType',
    "The resource type 'x' could not be found in the namespace 'Vendor.X' for api version '2099-01-01'. The supported api-versions are '2023-04-01'.",
    /`HEALTH_PROVIDER`.*`SUBSCRIPTIONS_API_VERSION`|`INSTANCES_TYPE`/,
  ],
  [
    'a subscription that may be hidden',
    'SubscriptionNotFound',
    'The subscription could not be found.',
    /has no rights in it/,
  ],
])('404 with %s', (_what, code, message, expected) => {
  const scope = `subscriptionId: "${place.subscriptionId}", resourceGroupName: "rg", virtualInstanceName: "E01"`;
  test.each([
    ['a list of instances', `{ asked: virtualInstances(${scope.split(', virtual')[0]}) { totalCount } }`],
    ['availability', `{ virtualInstance(${scope}) { asked: availability { state } } }`],
  ])('is never an empty list or null without an error: %s', async (_name, query) => {
    const { layer } = await startBeforeStub(({ target }) => {
      const path = target.split('?')[0] ?? '';
      if (path.endsWith('/E01')) return { body: { name: 'E01', properties: {} } };
      if (path.endsWith('/events/A')) return plain({});
      if (path.endsWith('/applicationInstances'))
        return {
          body: { value: ['a', 'b'].map((name) => ({ name, id: `${path}/${name}`, properties: {} })) },
        };
      return { status: 404, body: { error: { code, message } } };
    });

    const { errors = [] } = await layer.query(query);

    expect(errors.map(({ path }) => path?.at(-1))).toContain('asked');
    for (const error of errors) {
      expect(error.message).toMatch(expected);
      expect(error.extensions).toMatchObject({ code: 'UPSTREAM_NOT_FOUND', upstreamError: { message } });
    }
  });
});
