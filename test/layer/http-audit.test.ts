import { auditServer } from 'graphql-http';
import { expect } from 'vitest';
import { test, testToken } from '../support/layer.ts';

const json200 =
  'The draft of today has no such exception: what is wrong is 4xx whatever the client accepts, and so proxies and dashboards see it.';
const preflight =
  'A link or a form of another site can send such a GET: it has to carry `content-type: application/json` or `apollo-require-preflight`.';

/** What is not done as asked, and why. */
const statuses = { '572B': json200, FDE2: json200, '7B9B': json200 };
const simpleGets = { '5A70': preflight, D6D5: preflight, '6A70': preflight };

test.for([
  ['as plain requests', {}, { ...statuses, ...simpleGets }],
  ['with the header against requests of other sites', { 'apollo-require-preflight': 'true' }, statuses],
] as const)(
  'asked %s, GraphQL over HTTP is kept but for a known list',
  async ([_how, given, known], { layer }) => {
    const results = await auditServer({
      url: `${layer.url}/graphql`,
      fetchFn: (url: string, init: RequestInit = {}) =>
        fetch(url, {
          ...init,
          headers: { ...(init.headers as object), authorization: `Bearer ${testToken}`, ...given },
        }),
    });

    const deviating = results.filter(({ status }) => status !== 'ok');
    expect(results).toHaveLength(61);
    expect(deviating.filter(({ status }) => status === 'error')).toEqual([]);
    expect(deviating.map(({ id }) => id).sort()).toEqual(Object.keys(known).sort());
  },
);
