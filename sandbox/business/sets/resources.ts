import { businessRuleError, invalidRelationError } from '../../api-error.ts';
import { seededTime } from '../../seed/values.ts';
import { givenNames, surnames } from '../../seed/words.ts';
import { derivedGuid, elementAt } from '../../seeded.ts';
import { roundAmount } from '../documents/totals.ts';
import type { EntitySet, RecordValues, SeedContext, SeedRecord } from '../entity-set.ts';
import { choiceField, entitySet, fieldsOf } from '../entity-set.ts';
import { type Company, findRecord, idOf } from '../store.ts';

/** People and machines that are paid by the hour. API v2.0 of the real service has none: a page that a company adds. */
export const resources: EntitySet = entitySet(
  'resources',
  'resource',
  [
    ...fieldsOf('id guid readonly, number code 20, displayName text 100'),
    choiceField('type', ['Person', 'Machine']),
    ...fieldsOf(`
      baseUnitOfMeasure code 10, unitPrice decimal, unitCost decimal, directUnitCost decimal,
      blocked boolean, lastModifiedDateTime dateTime
    `),
  ],
  {
    writes: ['POST', 'PATCH', 'DELETE'],
    numberSeries: { name: 'RES', prefix: 'R', first: 10, step: 10, digits: 4, isManual: true },
    createDefaults: () => ({ baseUnitOfMeasure: 'HOUR' }),
    validate: validateResource,
    seed: { counts: [12, 5], record: seedResource },
  },
);

function validateResource(
  { displayName, baseUnitOfMeasure = '' }: RecordValues,
  isNew: boolean,
  company: Company,
): void {
  if (isNew && (displayName ?? '') === '') throw businessRuleError('A "displayName" must be provided.');
  if (baseUnitOfMeasure !== '' && !findRecord(company, 'unitsOfMeasure', 'code', baseUnitOfMeasure))
    throw invalidRelationError(
      'Base Unit of Measure',
      'Resource',
      String(baseUnitOfMeasure),
      'Unit of Measure',
    );
}

const machines = ['Band saw', 'Planer', 'Edge bander', 'Delivery van', 'Spray booth'];

/** One resource of the number series, R0010 first. Every third is a machine. */
function seedResource({ company, random }: SeedContext, index: number): SeedRecord {
  const isMachine = index % 3 === 2;
  const directUnitCost = random.between(18, 90);
  const values = {
    id: derivedGuid(`${idOf(company.record)}:resources:${index}`),
    number: `R${String(10 + index * 10).padStart(4, '0')}`,
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
