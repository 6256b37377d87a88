import type { Resolvers } from '../generated/graphql.ts';
import type { Choice } from '../graph/choice.ts';
import { mutationsOf } from './mutations.ts';
import type { RecordOf, RecordSet } from './records.ts';
import { recordResolvers } from './resolvers.ts';

const employeeStatus = {
  names: { Active: 'ACTIVE', Inactive: 'INACTIVE', Terminated: 'TERMINATED' },
} satisfies Choice;

/** Document, A5. Fields the document does not list come from the real service (docs/upstream.md). */
export const employees = {
  type: 'Employee',
  entitySet: 'employees',
  apiVersion: 'v2.0',
  fields: {
    id: 'uuid',
    number: 'code',
    displayName: 'text',
    givenName: 'text',
    middleName: 'text',
    surname: 'text',
    jobTitle: 'text',
    addressLine1: 'text',
    addressLine2: 'text',
    city: 'text',
    state: 'text',
    country: 'code',
    postalCode: 'code',
    phoneNumber: 'text',
    mobilePhone: 'text',
    email: 'text',
    personalEmail: 'text',
    employmentDate: 'date',
    terminationDate: 'date',
    birthDate: 'date',
    status: employeeStatus,
    statisticsGroupCode: 'code',
    bankBranchNumber: 'text',
    bankAccountNumber: 'text',
    iban: 'text',
    lastModifiedDateTime: 'dateTime',
  },
} as const satisfies RecordSet;

export type EmployeeRecord = RecordOf<(typeof employees)['fields']>;

const mutations = mutationsOf(employees, 'employee');

export const employeeResolvers: Resolvers = {
  ...recordResolvers(employees, 'employee', 'employees'),
  Mutation: {
    createEmployee: mutations.create,
    updateEmployee: mutations.update,
    deleteEmployee: mutations.remove,
  },
};
