import { expect, onTestFinished } from 'vitest';
import { testBeforeStub, testToken } from '../../support/layer.ts';
import { lookForHarm, oddOnes } from '../../support/upstreams/odd-shapes.ts';

const id = '00000000-0000-4000-8000-000000000001';
const authorization = `Bearer ${testToken}`;

const test = testBeforeStub(() => ({ body: { id, value: [], properties: {} } }));

const query =
  'query Odd($id: UUID!, $filter: CustomerFilter) { company { customer(id: $id) { city } customers(filter: $filter) { totalCount } } }';
const asked = {
  query,
  operationName: 'Odd',
  variables: { id, filter: { city: { eq: 'Oslo' }, and: [{ creditLimit: { in: ['1'] } }] } },
  extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } },
};
const byHash = { extensions: asked.extensions, documentId: 'x' };
const bodies = [...oddOnes(asked), ...oddOnes(byHash)];

test.for(['/graphql', '/graphql/stream'])(
  'whatever JSON is sent to %s, it is answered or rejected in the format of GraphQL',
  async (path, { scene: { layer } }) => {
    const harm = lookForHarm(layer);
    onTestFinished(harm.stop);
    const accept = path === '/graphql' ? 'application/json' : 'text/event-stream';
    for (const { what, text } of bodies) {
      const parameters = new URLSearchParams({ query, variables: text, extensions: text }).toString();
      const isShort = what.startsWith('the body') && parameters.length < 8_000;
      for (const method of isShort ? ['POST', 'GET'] : ['POST']) {
        const response = await fetch(`${layer.url}${path}${method === 'GET' ? `?${parameters}` : ''}`, {
          method,
          headers: {
            'content-type': 'application/json',
            authorization,
            accept,
            'apollo-require-preflight': '1',
          },
          ...(method === 'POST' && { body: text }),
        });
        const answer = await response.json();
        harm.look(`${method} ${what}`, answer as never);
        expect([200, 400, 413], `${method} ${what}`).toContain(response.status);
      }
    }
    expect(harm.all).toEqual([]);
  },
);
