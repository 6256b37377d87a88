import type { EnumMapping } from '../../graph/enum-mapping.ts';
import type { RecordFrom } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';

const employeeStatus = {
  names: { Active: 'ACTIVE', Inactive: 'INACTIVE', Terminated: 'TERMINATED' },
} satisfies EnumMapping;

/** Document, A5. Fields the document does not list come from the real service (docs/upstream.md). */
export const employees = {
  type: 'Employee',
  names: { one: 'employee', many: 'employees', byNumber: 'employeeByNumber' },
  entitySet: 'employees',
  route: 'v2.0',
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
  files: { picture: { segment: 'picture/pictureContent', isReplaceable: true } },
  sourceColumns: { picture: ['number'] },
  list: {
    one: 'an employee',
    many: 'employees',
    unfilterable: ['displayName'],
    conditions: { status: 'whether someone works for the company' },
  },
  writes: ['create', 'update', 'delete'],
  watched: { description: 'People who work for the company.' },
} as const satisfies RecordTypeDescriptor;

export type EmployeeRecord = RecordFrom<typeof employees>;
