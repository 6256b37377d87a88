import { businessRuleError } from '../../api-error.ts';
import { elementAt } from '../../seeded.ts';
import type { Company, EntitySet, RecordValues, SeedContext, SeedRecord } from '../entity-set.ts';
import { entitySet, fieldsOf } from '../entity-set.ts';
import { seededTime } from '../seed/values.ts';
import { idOf, recordsOf } from '../store.ts';

/** The sets whose records have attachments here, by the word for them. The real service has more. */
const parentSets: Readonly<Record<string, string>> = {
  'Sales Order': 'salesOrders',
  'Sales Quote': 'salesQuotes',
  'Sales Invoice': 'salesInvoices',
  'Sales Credit Memo': 'salesCreditMemos',
  Customer: 'customers',
  Item: 'items',
  Employee: 'employees',
};

/** Attachments as the real service has them (gap: see docs/upstream.md). Their bytes are uploaded afterwards. */
export const documentAttachments: EntitySet = entitySet('documentAttachments', 'documentAttachment', {
  fields: fieldsOf(`
    id guid readonly, fileName text 250, byteSize integer readonly,
    parentType [ |${Object.keys(parentSets).join('|')}], parentId guid, lineNumber integer,
    documentFlowSales boolean, documentFlowPurchase boolean, lastModifiedDateTime dateTime
  `),
  writes: ['POST', 'DELETE'],
  files: ['attachmentContent'],
  validate: checkParent,
  seed: { counts: [6, 2], record: seedAttachment },
});

/** Throws an `ApiError` for an attachment of a record that does not exist. */
function checkParent({ parentType = ' ', parentId = '' }: RecordValues, _isNew: boolean, company: Company) {
  const set = parentSets[String(parentType)];
  if (set === undefined) throw businessRuleError('Document type is not valid.');
  if (!recordsOf(company, set).has(String(parentId)))
    throw businessRuleError('No document with the specified ID exists.');
}

/** Attachments of the first records, without bytes until some are uploaded. */
function seedAttachment({ company }: SeedContext, index: number): SeedRecord {
  const parentType = elementAt(['Sales Order', 'Item', 'Customer'], index);
  const parents = [...recordsOf(company, parentSets[parentType] ?? '').values()];
  const parent = elementAt(parents, Math.floor(index / 3));
  const values = {
    fileName: elementAt(['Drawing.pdf', 'Data sheet.pdf', 'Contract.docx'], index),
    parentType,
    parentId: idOf(parent),
    documentFlowSales: parentType === 'Item',
    lastModifiedDateTime: seededTime(index),
  };
  return { values };
}
