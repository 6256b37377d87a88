import { derivedGuid } from '../../seeded.ts';
import type { EntitySet } from '../entity-set.ts';
import {
  codeField,
  computed,
  dateTimeField,
  entitySet,
  guidField,
  readOnly,
  textField,
} from '../entity-set.ts';
import { idOf } from '../store.ts';

/** One record for each company. The document does not have it (gap: see docs/upstream.md). */
export const companyInformation: EntitySet = entitySet(
  'companyInformation',
  'companyInformation',
  [
    guidField('id', readOnly),
    textField('displayName', 100),
    codeField('currencyCode', 10, { ...readOnly, ...computed }),
    dateTimeField('lastModifiedDateTime'),
  ],
  {
    hasAddress: false,
    isOnlyInDynamics: true,
    seed: {
      counts: [1, 1],
      record: ({ company }) => ({
        values: {
          id: derivedGuid(`${idOf(company.record)}:companyInformation`),
          displayName: company.record.values.displayName ?? '',
          currencyCode: company.localCurrency,
          lastModifiedDateTime: '2024-11-04T08:00:00.000Z',
        },
      }),
    },
  },
);
