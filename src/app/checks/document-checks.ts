import { Kind, parse } from 'graphql';
import type { RecordTypeList } from '../../business/record-files/record-type-list.ts';
import type { Config } from '../../config/config.ts';
import { createDocuments } from '../../server/guard/documents.ts';
import { explainRejection } from '../../server/rejection.ts';
import { reservedToolNames } from '../../server/transports/mcp/call-tool.ts';
import { createTools, type LeftOutOperation } from '../../server/transports/mcp/tools.ts';
import { getDocumentLimits } from '../configured/limits.ts';
import { createSchema } from '../schema/schema.ts';

export interface InvalidDocument {
  readonly documentId: string;
  readonly reason: string;
}

export interface DocumentFindings {
  /** Trusted documents that no request can use. */
  readonly invalid: readonly InvalidDocument[];
  /** Queries and mutations of the others that are no tools of agents. */
  readonly noTools: readonly LeftOutOperation[];
}

/** What is wrong with the trusted documents with these settings. */
export async function checkDocuments(config: Config, recordTypes: RecordTypeList): Promise<DocumentFindings> {
  const { MCP, TRUSTED_DOCUMENTS_MANIFEST: manifest = {} } = config;
  const schema = createSchema(recordTypes);
  const introspection = config.INTROSPECTION !== 'off';
  const documents = createDocuments({ ...getDocumentLimits(config), schema, introspection });
  const invalid: InvalidDocument[] = [];
  for (const [documentId, text] of Object.entries(manifest)) {
    try {
      await documents.getOrValidate(text, findOperationName(text), 'check');
    } catch (error) {
      invalid.push({ documentId, reason: explainRejection(error) });
    }
  }
  if (MCP === 'off') return { invalid, noTools: [] };
  const isInvalid = new Set(invalid.map(({ documentId }) => documentId));
  const { leftOut } = await createTools({
    schema,
    documents,
    scopesOf: () => [],
    manifest: Object.fromEntries(Object.entries(manifest).filter(([id]) => !isInvalid.has(id))),
    reserved: reservedToolNames,
  });
  return { invalid, noTools: leftOut };
}

/** The name of the first operation. A document is validated as a whole. */
function findOperationName(text: string): string | null {
  const operation = parse(text).definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return (operation?.kind === Kind.OPERATION_DEFINITION && operation.name?.value) || null;
}
