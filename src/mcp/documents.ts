import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  separateOperations,
} from 'graphql';

export interface DocumentOperation {
  readonly operation: OperationDefinitionNode;
  /** The operation with its fragments. */
  readonly document: DocumentNode;
  /** The document that is sent to the server. */
  readonly text: string;
  /** The file, or the id in the manifest. */
  readonly source: string;
}

/**
 * Reads the operations of a folder of `.graphql` files, which share their fragments, or of a manifest: a JSON object of
 * documents by id. Documents of a manifest are sent unchanged, so that a server with trusted documents recognizes them.
 */
export function readDocuments(path: string): readonly DocumentOperation[] {
  const isFolder = statSync(path).isDirectory();
  const texts = isFolder ? readFolder(path) : JSON.parse(readFileSync(path, 'utf8'));
  const parsed = Object.entries<string>(texts).map(([source, text]) => ({
    source,
    text,
    definitions: parseNamed(source, text).definitions,
  }));
  const shared = parsed.flatMap(({ definitions }) => definitions).filter(isFragment);
  return parsed.flatMap(({ source, text, definitions }) =>
    definitions
      .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
      .map((operation) => {
        const fragments = isFolder ? shared : definitions.filter(isFragment);
        const whole: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] };
        const document = separateOperations(whole)[operation.name?.value ?? ''] ?? whole;
        return { operation, document, text: isFolder ? print(document) : text, source };
      }),
  );
}

const readFolder = (path: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(graphql|gql)$/.test(name))
      .sort()
      .map((name) => [name, readFileSync(join(path, name), 'utf8')]),
  );

function parseNamed(source: string, text: string): DocumentNode {
  try {
    return parse(text);
  } catch (error) {
    throw new Error(`${source}: ${(error as Error).message}`);
  }
}

const isFragment = ({ kind }: DocumentNode['definitions'][number]) => kind === Kind.FRAGMENT_DEFINITION;
