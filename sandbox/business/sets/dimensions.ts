import { derivedGuid } from '../../seeded.ts';
import { codedSet } from '../coded-set.ts';
import { type EntitySet, entitySet, fieldsOf, type SeedContext, type SeedRecord } from '../entity-set.ts';
import { findRecord, idOf } from '../store.ts';

/** The first two are those of `shortcutDimension1Code` and `shortcutDimension2Code`. */
export const dimensions: EntitySet = codedSet(
  'dimensions',
  'dimension',
  [
    ['DEPARTMENT', 'Department'],
    ['CUSTOMERGROUP', 'Customer Group'],
    ['AREA', 'Area', { consolidationCode: 'REGION' }],
  ],
  {
    fields: fieldsOf('consolidationCode code 20'),
    navigations: [{ name: 'dimensionValues', target: 'dimensionValues', by: 'dimensionId' }],
    isSubscribable: true,
  },
);

/** Dimension, code, name. */
const rows: readonly (readonly [dimension: string, code: string, displayName: string])[] = [
  ['DEPARTMENT', 'SALES', 'Sales'],
  ['DEPARTMENT', 'PROJECT', 'Projects'],
  ['DEPARTMENT', 'PROD', 'Production'],
  ['DEPARTMENT', 'ADM', 'Administration'],
  ['CUSTOMERGROUP', 'SMALL', 'Small business'],
  ['CUSTOMERGROUP', 'MEDIUM', 'Medium-sized business'],
  ['CUSTOMERGROUP', 'LARGE', 'Large business'],
  ['AREA', '30', 'Europe North'],
  ['AREA', '40', 'Europe South'],
  ['AREA', '70', 'America North'],
];

export const dimensionValues: EntitySet = entitySet(
  'dimensionValues',
  'dimensionValue',
  fieldsOf(`
      id guid readonly, code code 20, dimensionId guid, displayName text 50, consolidationCode code 20,
      lastModifiedDateTime dateTime
    `),
  {
    navigations: [{ name: 'dimension', target: 'dimensions', from: 'dimensionId' }],
    seed: { counts: [rows.length, rows.length], record: seedValue },
  },
);

function seedValue({ company }: SeedContext, index: number): SeedRecord | undefined {
  const [dimension, code = '', displayName = ''] = rows[index] ?? [];
  const owner = dimension === undefined ? undefined : findRecord(company, 'dimensions', 'code', dimension);
  if (!owner) return undefined;
  const values = {
    id: derivedGuid(`${idOf(company.record)}:dimensionValues:${dimension}:${code}`),
    code,
    dimensionId: idOf(owner),
    displayName,
    lastModifiedDateTime: '2024-11-04T08:00:00.000Z',
  };
  return { values };
}
