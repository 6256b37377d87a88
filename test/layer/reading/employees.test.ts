import { expect } from 'vitest';
import { test } from '../../support/layer.ts';

test('a list of employees and one of them by id agree', async ({ layer }) => {
  const fields = 'id number displayName givenName surname jobTitle employmentDate terminationDate status';
  const list = await layer.query(`{ company { employees(first: 40) { nodes { ${fields} } } } }`);
  const people = list.data.company.employees.nodes;

  const one = await layer.query(`query ($id: UUID!) { company { employee(id: $id) { ${fields} } } }`, {
    id: people[7].id,
  });

  expect(one.errors).toBeUndefined();
  expect(one.data.company.employee).toEqual(people[7]);
});

test('former employees have an end date, current ones have none', async ({ layer }) => {
  const { data } = await layer.query(
    '{ company { employees { nodes { status terminationDate employmentDate } } } }',
  );

  const people: { status: string; terminationDate: string | null; employmentDate: string }[] =
    data.company.employees.nodes;
  expect(new Set(people.map(({ status }) => status))).toEqual(new Set(['Active', 'Inactive', 'Terminated']));
  for (const { status, terminationDate, employmentDate } of people) {
    expect(employmentDate).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(terminationDate !== null).toBe(status === 'Terminated');
  }
});
