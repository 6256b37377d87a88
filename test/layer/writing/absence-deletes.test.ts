import { expect } from 'vitest';
import { testWith } from '../../support/layer.ts';

const test = testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' });

test('a delete whose connection is reset is OUTCOME_UNKNOWN where the record and its set both respond 404 and the record still exists', async ({
  layer,
  sandbox,
}) => {
  const { data } = await layer.query('{ company { employees(first: 1) { nodes { id } } } }');
  const [employee] = data.company.employees.nodes;
  await sandbox.fault({ method: 'DELETE', reset: 'before' });
  await sandbox.fault({
    path: '/employees',
    status: 404,
    times: 1_000,
    body: {
      error: {
        code: 'BadRequest_ResourceNotFound',
        message: "Resource not found for the segment 'employees'.",
      },
    },
  });

  const { data: told } = await layer.query(
    'mutation ($id: UUID!) { deleteEmployee(input: { id: $id, ifMatch: "*" }) { userErrors { code } } }',
    { id: employee.id },
  );

  expect(told.deleteEmployee.userErrors).toEqual([{ code: 'OUTCOME_UNKNOWN' }]);
});
