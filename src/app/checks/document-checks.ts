import { Kind, parse } from 'graphql';
import type { RecordTypeList } from '../../business/record-files/record-type-list.ts';
import type { Config } from '../../config/config.ts';
import { createDocuments } from '../../server/guard/documents.ts';
import { explainRejection } from '../../server/rejection.ts';
import { getDocumentLimits } from '../configured/limits.ts';
import { createSchema } from '../schema/schema.ts';

export interface InvalidDocument {
  readonly documentId: string;
  readonly reason: string;
}

/** The trusted documents that no request can use with these settings. */
export async function findInvalidDocuments(
  config: Config,
  recordTypes: RecordTypeList,
): Promise<readonly InvalidDocument[]> {
  const { TRUSTED_DOCUMENTS: manifest = {} } = config;
  const schema = createSchema(recordTypes);
  const introspection = config.PAGES !== 'off';
  const documents = createDocuments({ ...getDocumentLimits(config), schema, introspection });
  const invalid: InvalidDocument[] = [];
  for (const [documentId, text] of Object.entries(manifest)) {
    try {
      await documents.getOrValidate(text, findOperationName(text), 'check');
    } catch (error) {
      invalid.push({ documentId, reason: explainRejection(error) });
    }
  }
  return invalid;
}

/** The name of the first operation. A document is validated as a whole. */
function findOperationName(text: string): string | null {
  const operation = parse(text).definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return (operation?.kind === Kind.OPERATION_DEFINITION && operation.name?.value) || null;
}
