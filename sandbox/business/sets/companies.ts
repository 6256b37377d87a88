import type { EntitySet } from '../entity-set.ts';
import { entitySet, fieldsOf } from '../entity-set.ts';

export const companies: EntitySet = entitySet(
  'companies',
  'company',
  fieldsOf(`
      id guid readonly, systemVersion text 250 readonly, timestamp integer readonly,
      name text 30 readonly, displayName text 250 readonly, businessProfileId text 250 readonly,
      systemCreatedAt dateTime, systemCreatedBy guid readonly, systemModifiedAt dateTime,
      systemModifiedBy guid readonly
    `),
  { hasEtag: false, hasAddress: false },
);
