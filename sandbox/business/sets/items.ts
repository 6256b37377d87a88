import { businessRuleError } from '../../api-error.ts';
import { elementAt } from '../../seeded.ts';
import { referenceByCode } from '../documents/document-fields.ts';
import { roundAmount } from '../documents/totals.ts';
import type { Company, EntitySet, RecordValues, SeedContext, SeedRecord } from '../entity-set.ts';
import { entitySet, fieldsOf } from '../entity-set.ts';
import { resolveReferences, templateOf } from '../references.ts';
import { seededTime } from '../seed/values.ts';
import { goods, woods } from '../seed/words.ts';

const template = templateOf([
  ['baseUnitOfMeasureId', 'unitsOfMeasure', 'PCS'],
  ['generalProductPostingGroupId', 'generalProductPostingGroups', 'RETAIL'],
]);
const stockTemplate = templateOf([['inventoryPostingGroupId', 'inventoryPostingGroups', 'RESALE']]);

/** Only items in stock are posted as stock. */
function itemDefaults(given: RecordValues, company: Company): RecordValues {
  const isStock = (given.type ?? 'Inventory') === 'Inventory';
  return { ...template(given, company), ...(isStock ? stockTemplate(given, company) : {}) };
}

/** A2, and the fields the real service adds to it. */
export const items: EntitySet = entitySet('items', 'item', {
  fields: fieldsOf(`
    id guid readonly, number code 20, displayName text 100, displayName2 text 50,
    type [Inventory|Service|Non-Inventory], itemCategoryId guid, itemCategoryCode code 20,
    blocked boolean, gtin code 14, inventory decimal computed, unitPrice decimal,
    priceIncludesTax boolean, unitCost decimal, taxGroupId guid, taxGroupCode code 20,
    baseUnitOfMeasureId guid, baseUnitOfMeasureCode code 10, generalProductPostingGroupId guid,
    generalProductPostingGroupCode code 20, inventoryPostingGroupId guid,
    inventoryPostingGroupCode code 20, lastModifiedDateTime dateTime
  `),
  navigations: [
    { name: 'itemVariants', target: 'itemVariants', by: 'itemId' },
    { name: 'itemCategory', target: 'itemCategories', from: 'itemCategoryId' },
    { name: 'unitOfMeasure', target: 'unitsOfMeasure', from: 'baseUnitOfMeasureId' },
    {
      name: 'generalProductPostingGroup',
      target: 'generalProductPostingGroups',
      from: 'generalProductPostingGroupId',
    },
    { name: 'inventoryPostingGroup', target: 'inventoryPostingGroups', from: 'inventoryPostingGroupId' },
  ],
  references: [
    referenceByCode('itemCategory', 'itemCategories', 'Item Category'),
    referenceByCode('taxGroup', 'taxGroups', 'Tax Group'),
    referenceByCode('baseUnitOfMeasure', 'unitsOfMeasure', 'Unit of Measure'),
    referenceByCode(
      'generalProductPostingGroup',
      'generalProductPostingGroups',
      'General Product Posting Group',
    ),
    referenceByCode('inventoryPostingGroup', 'inventoryPostingGroups', 'Inventory Posting Group'),
  ],
  isSubscribable: true,
  files: ['picture'],
  writes: ['POST', 'PATCH', 'DELETE'],
  numberSeries: { name: 'ITEM', prefix: '', first: 1_000, step: 4, digits: 4, isManual: true },
  createDefaults: itemDefaults,
  validate: ({ inventory }, isNew) => {
    if (isNew && inventory !== undefined) {
      throw businessRuleError('Inventory cannot be changed during on insert.');
    }
  },
  seed: { counts: [120, 40], record: seedItem },
});

/** Every type occurs, and every twelfth item is blocked. */
function seedItem({ set, company, random }: SeedContext, index: number): SeedRecord {
  const [category, , kinds] = elementAt(goods, index);
  const isService = category === 'SERVICE';
  const type = isService
    ? 'Service'
    : category === 'PARTS' && index % 2 === 0
      ? 'Non-Inventory'
      : 'Inventory';
  const kind = elementAt<string>(kinds, Math.floor(index / goods.length));
  const unitCost = roundAmount(random.between(500, 80_000) / 100);
  const given: RecordValues = {
    itemCategoryCode: index % 17 === 16 ? '' : category,
    taxGroupCode: isService ? 'LABOR' : category === 'TEXTILE' ? 'TEXTILES' : 'FURNITURE',
    baseUnitOfMeasureCode: isService
      ? 'HOUR'
      : category === 'PARTS'
        ? elementAt(['BOX', 'KG', 'SET'], index)
        : 'PCS',
    generalProductPostingGroupCode: isService ? 'SERVICES' : 'RETAIL',
    inventoryPostingGroupCode: type === 'Inventory' ? 'RESALE' : '',
  };
  const values = {
    ...resolveReferences(set, given, company),
    number: `${1000 + index * 4}${random.oneIn(3) ? '-S' : ''}`,
    displayName: isService
      ? `${kind}, ${elementAt(['standard', 'express', 'on site'], index)}`
      : `${elementAt(woods, index)} ${kind}`,
    displayName2: random.oneIn(6) ? 'Made to order' : '',
    type,
    blocked: index % 12 === 11,
    gtin: type === 'Inventory' && random.oneIn(2) ? `40${String(11_000_000_000 + index * 9_173)}` : '',
    inventory: type === 'Inventory' ? random.between(0, 250) : 0,
    unitPrice: roundAmount(unitCost * 1.4),
    priceIncludesTax: random.oneIn(20),
    unitCost,
    lastModifiedDateTime: seededTime(index * 2),
  };
  return { values };
}
