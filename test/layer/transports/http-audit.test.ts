import { readFileSync } from 'node:fs';
import { auditServer } from 'graphql-http';
import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { test, testToken } from '../../support/layer.ts';

const page = readFileSync(new URL('../../../docs/http.md', import.meta.url), 'utf8');

const ofDraft =
  'The draft has dropped that: what is wrong is 4xx whatever the client accepts, and so proxies and dashboards see it.';
const ofOtherSites =
  'Another site can make a browser send such a `GET`: it takes a token, `content-type: application/json` or `apollo-require-preflight`.';

type Known = Readonly<Record<string, string>>;

/** What is answered another way than audits would like, and why. */
const statuses: Known = { '572B': ofDraft, FDE2: ofDraft, '7B9B': ofDraft };
const simpleGets: Known = { '5A70': ofOtherSites, D6D5: ofOtherSites, '6A70': ofOtherSites };

test.for<[how: string, headers: Known, known: Known]>([
  ['as plain requests', {}, { ...statuses, ...simpleGets }],
  ['with a token', { authorization: `Bearer ${testToken}` }, statuses],
])(
  'queried %s, the GraphQL over HTTP audit passes except for a known list',
  async ([_how, given, known], { layer }) => {
    const results = await auditServer({
      url: `${layer.url}/graphql`,
      fetchFn: (url: string, init: RequestInit = {}) =>
        fetch(url, {
          ...init,
          headers: { ...(init.headers as object), ...given },
        }),
    });

    const deviating = results.filter(({ status }) => status !== 'ok');
    expect(results).toHaveLength(61);
    expect(deviating.filter(({ status }) => status === 'error')).toEqual([]);
    expect(Object.fromEntries(deviating.map(({ id }) => [id, known[id]]))).toEqual(known);
    for (const { id, name } of deviating) expect(page).toContain(`| \`${id}\` ${name} | ${known[id]} |\n`);
  },
);

test('of two queries in a document the named one is executed, every time', async ({ layer }) => {
  const query = 'query A { a: company { id } } query B { b: company { id } }';
  for (const operationName of ['B', 'A', 'B', 'B', 'A']) {
    const response = await fetch(`${layer.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${testToken}` },
      body: JSON.stringify({ query, operationName }),
    });

    expect(await response.json()).toEqual({
      data: { [operationName.toLowerCase()]: { id: sandboxCompanyId } },
    });
  }
});
