import { seededTime } from '../../seed/values.ts';
import type { EntitySet, SeedContext, SeedRecord } from '../entity-set.ts';
import { dateTimeField, entitySet, integerField, textField } from '../entity-set.ts';
import { recordId } from '../record-keys.ts';
import { customRoute } from '../routes.ts';

/** Counters with a number as their key, which the caller chooses. */
export const counters: EntitySet = entitySet(
  'counters',
  'counter',
  [
    integerField('counterNumber'),
    textField('description', 100),
    integerField('value'),
    dateTimeField('lastModifiedDateTime'),
  ],
  {
    route: customRoute,
    key: ['counterNumber'],
    writes: ['POST', 'PATCH', 'DELETE'],
    seed: { counts: [12, 4], record: seedCounter },
  },
);

/** Negative numbers first: -2, -1, 0, 1, … */
function seedCounter({ set }: SeedContext, index: number): SeedRecord {
  const counterNumber = index - 2;
  const values = {
    counterNumber,
    id: recordId(set, { counterNumber }),
    description: `Counter ${counterNumber}`,
    value: index * 17,
    lastModifiedDateTime: seededTime(index * 9),
  };
  return { values };
}
