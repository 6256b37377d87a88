import type { EntitySet } from '../entity-set.ts';
import { dateTimeField, entitySet, guidField, integerField, readOnly, textField } from '../entity-set.ts';

export const companies: EntitySet = entitySet(
  'companies',
  'company',
  [
    guidField('id', readOnly),
    textField('systemVersion', 250, readOnly),
    integerField('timestamp', readOnly),
    textField('name', 30, readOnly),
    textField('displayName', 250, readOnly),
    textField('businessProfileId', 250, readOnly),
    dateTimeField('systemCreatedAt'),
    guidField('systemCreatedBy', readOnly),
    dateTimeField('systemModifiedAt'),
    guidField('systemModifiedBy', readOnly),
  ],
  { hasEtag: false, hasAddress: false },
);
