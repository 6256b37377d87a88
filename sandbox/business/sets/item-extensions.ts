import { invalidRelationError } from '../../api-error.ts';
import { seededRecords, seededTime } from '../../seed/values.ts';
import { elementAt } from '../../seeded.ts';
import type { EntitySet, SeedContext, SeedRecord } from '../entity-set.ts';
import { choiceField, customRoute, entitySet, fieldsOf } from '../entity-set.ts';
import { idOf } from '../store.ts';
import { isCountry } from '../writes/field-values.ts';

/** What an extension adds to items, on an API page of its own: a record for each seeded item, with the item's id. */
export const itemExtensions: EntitySet = entitySet(
  'itemExtensions',
  'itemExtension',
  [
    ...fieldsOf('id guid readonly, itemNumber code 20 readonly, countryOfOrigin code 10'),
    choiceField('hazardClass', [' ', 'Flammable', 'Corrosive', 'Toxic (Class 6)', 'Other']),
    ...fieldsOf('shelfLifeDays integer, warehouseNote text 250, lastModifiedDateTime dateTime'),
  ],
  {
    route: customRoute,
    isSubscribable: true,
    writes: ['PATCH'],
    validate: ({ countryOfOrigin = '' }) => {
      if (countryOfOrigin === '' || isCountry(String(countryOfOrigin))) return;
      throw invalidRelationError(
        'Country/Region of Origin Code',
        'Item',
        String(countryOfOrigin),
        'Country/Region',
      );
    },
    seed: { counts: [120, 40], record: seedExtension },
  },
);

/** Most items have some of the values, every fifth has none. */
function seedExtension({ company, random }: SeedContext, index: number): SeedRecord | undefined {
  const item = seededRecords(company, 'items')[index];
  if (!item) return undefined;
  const values = {
    id: idOf(item),
    itemNumber: item.values.number ?? '',
    ...(index % 5 === 4
      ? {}
      : {
          countryOfOrigin: elementAt(['DK', 'SE', 'PL', 'IT', 'VN'], index),
          hazardClass: elementAt([' ', ' ', 'Flammable', ' ', 'Toxic (Class 6)', 'Corrosive'], index),
          shelfLifeDays: index % 4 === 1 ? random.between(30, 900) : 0,
          warehouseNote: index % 6 === 2 ? "Keep dry; don't stack" : '',
        }),
    lastModifiedDateTime: seededTime(index * 7),
  };
  return { values };
}
