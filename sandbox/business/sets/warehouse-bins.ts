import { seededTime } from '../../seed/values.ts';
import type { EntitySet, SeedContext, SeedRecord } from '../entity-set.ts';
import {
  booleanField,
  choiceField,
  codeField,
  dateTimeField,
  decimalField,
  entitySet,
  textField,
} from '../entity-set.ts';
import { recordId } from '../record-keys.ts';
import { customRoute } from '../routes.ts';

/** Location and code of bins, some with characters that have to be quoted or encoded in an address. */
const bins: readonly (readonly [locationCode: string, binCode: string])[] = [
  ['EAST', 'A-01'],
  ['EAST', 'A/02'],
  ['EAST', "O'HARE 3"],
  ['EAST', 'ROW 4, TOP'],
  ['EAST', 'X=1 (OLD)'],
  ['WEST', 'A-01'],
  ['WEST', '50% "LOW"'],
  ['WEST', 'Ø/Å+1'],
];

/** Bins of a warehouse, with a key of two codes that the caller chooses. */
export const warehouseBins: EntitySet = entitySet(
  'warehouseBins',
  'warehouseBin',
  [
    codeField('locationCode', 10),
    codeField('binCode', 20),
    textField('description', 100),
    choiceField('zone', ['Pick', 'Bulk', 'Ship & Pack']),
    decimalField('maximumWeight'),
    booleanField('blocked'),
    dateTimeField('lastModifiedDateTime'),
  ],
  {
    route: customRoute,
    key: ['locationCode', 'binCode'],
    writes: ['POST', 'PATCH', 'DELETE'],
    seed: { counts: [bins.length, 3], record: seedBin },
  },
);

function seedBin({ set }: SeedContext, index: number): SeedRecord | undefined {
  const [locationCode, binCode] = bins[index] ?? [];
  if (locationCode === undefined || binCode === undefined) return undefined;
  const key = { locationCode, binCode };
  const values = {
    ...key,
    id: recordId(set, key),
    description: `Bin ${index + 1}`,
    zone: ['Pick', 'Bulk', 'Ship & Pack'][index % 3] ?? '',
    maximumWeight: 250 + index * 12.5,
    blocked: index === 4,
    lastModifiedDateTime: seededTime(index * 9),
  };
  return { values };
}
