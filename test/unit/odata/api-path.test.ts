import { expect, test } from 'vitest';
import { apiRoot, apiRootOf, companyIdIn } from '../../../src/odata/batch.ts';

const companyId = '0e0f0986-928f-40d7-8834-d1910255a423';
const routes = ['v2.0', 'v1.0', 'beta', 'contoso/app/v1.0', 'beta/v1.0/v2.0', 'contoso/app/beta'];

test.each(routes)('a path below %s has its root, and its company', (route) => {
  const root = apiRoot(route);
  for (const path of ['items', "beta('v1.0/x')/lines", 'items?$filter=a/v1.0/b', 'v1'])
    expect(apiRootOf(`${root}/companies(${companyId})/${path}`)).toBe(root);
  expect(apiRootOf(`${root}/companies?$top=1`)).toBe(root);
  expect(companyIdIn(`${root}/companies(${companyId})/items(1)`)).toBe(companyId);
  expect(companyIdIn(`${root}/companies?$filter=companies(1)`)).toBeNull();
});

test('a path without a root is a mistake of this program', () => {
  expect(() => apiRootOf('/items')).toThrow(TypeError);
});
