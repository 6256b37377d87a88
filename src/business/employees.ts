import type { Choice } from '../graph/choice.ts';
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
    number: 'text',
    displayName: 'text',
    givenName: 'text',
    middleName: 'text',
    surname: 'text',
    jobTitle: 'text',
    addressLine1: 'text',
    addressLine2: 'text',
    city: 'text',
    state: 'text',
    country: 'text',
    postalCode: 'text',
    phoneNumber: 'text',
    mobilePhone: 'text',
    email: 'text',
    personalEmail: 'text',
    employmentDate: 'date',
    terminationDate: 'date',
    birthDate: 'date',
    status: employeeStatus,
    statisticsGroupCode: 'text',
    bankBranchNumber: 'text',
    bankAccountNumber: 'text',
    iban: 'text',
    lastModifiedDateTime: 'dateTime',
  },
} as const satisfies RecordSet;

export type EmployeeRecord = RecordOf<(typeof employees)['fields']>;

export const employeeResolvers = recordResolvers(employees, 'employee', 'employees');
