import { businessRuleError, invalidRelationError } from '../../api-error.ts';
import { elementAt } from '../../seeded.ts';
import { roundAmount } from '../documents/totals.ts';
import type { Company, EntitySet, RecordValues, SeedContext, SeedRecord } from '../entity-set.ts';
import { customRoute, entitySet, fieldsOf } from '../entity-set.ts';
import { seededRecords, seededTime } from '../seed/values.ts';
import { givenNames, surnames } from '../seed/words.ts';
import { findRecord, idOf } from '../store.ts';
import { isCountry } from '../writes/field-values.ts';

/** People and machines that are paid by the hour. API v2.0 of the real service has none: a page that a company adds. */
export const resources: EntitySet = entitySet('resources', 'resource', {
  fields: fieldsOf(`
    id guid readonly, number code 20, displayName text 100, type [Person|Machine],
    baseUnitOfMeasure code 10, unitPrice decimal, unitCost decimal, directUnitCost decimal,
    blocked boolean, lastModifiedDateTime dateTime
  `),
  writes: ['POST', 'PATCH', 'DELETE'],
  numberSeries: { name: 'RES', prefix: 'R', first: 10, step: 10, digits: 4, isManual: true },
  createDefaults: () => ({ baseUnitOfMeasure: 'HOUR' }),
  validate: validateResource,
  seed: { counts: [12, 5], record: seedResource },
});

function validateResource(
  { displayName, baseUnitOfMeasure = '' }: RecordValues,
  isNew: boolean,
  company: Company,
): void {
  if (isNew && (displayName ?? '') === '') throw businessRuleError('A "displayName" must be provided.');
  const unit = String(baseUnitOfMeasure);
  if (unit !== '' && !findRecord(company, 'unitsOfMeasure', 'code', unit))
    throw invalidRelationError('Base Unit of Measure', 'Resource', unit, 'Unit of Measure');
}

const machines = ['Band saw', 'Planer', 'Edge bander', 'Delivery van', 'Spray booth'];

/** Every third is a machine. */
function seedResource({ random }: SeedContext, index: number): SeedRecord {
  const isMachine = index % 3 === 2;
  const directUnitCost = random.between(18, 90);
  const values = {
    displayName: isMachine
      ? elementAt(machines, Math.floor(index / 3))
      : `${elementAt(givenNames, index * 2)} ${elementAt(surnames, index)}`,
    type: isMachine ? 'Machine' : 'Person',
    baseUnitOfMeasure: 'HOUR',
    unitPrice: roundAmount(directUnitCost * 1.6),
    unitCost: roundAmount(directUnitCost * 1.1),
    directUnitCost,
    blocked: index % 8 === 7,
    lastModifiedDateTime: seededTime(index * 6),
  };
  return { values };
}

/** What an extension adds to items, on an API page of its own: a record for each seeded item, with the item's id. */
export const itemExtensions: EntitySet = entitySet('itemExtensions', 'itemExtension', {
  fields: fieldsOf(`
    id guid readonly, itemNumber code 20 readonly, countryOfOrigin code 10,
    hazardClass [ |Flammable|Corrosive|Toxic (Class 6)|Other], shelfLifeDays integer,
    warehouseNote text 250, lastModifiedDateTime dateTime
  `),
  route: customRoute,
  isSubscribable: true,
  writes: ['PATCH'],
  validate: ({ countryOfOrigin = '' }) => {
    const country = String(countryOfOrigin);
    if (country === '' || isCountry(country)) return;
    throw invalidRelationError('Country/Region of Origin Code', 'Item', country, 'Country/Region');
  },
  seed: { counts: [120, 40], record: seedExtension },
});

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
