import type { DialectName } from './business/dialect.ts';
import type { ClientIdOption } from './business/writes/client-ids.ts';
import type { RecordCounts } from './seed/seed.ts';
import type { WebhookOptions } from './webhooks/receiver.ts';

export interface SandboxOptions {
  /** Address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  /** Port to listen on. Default: 0, any free port. */
  readonly port?: number;
  /** Duration of each of the five steps of an instance operation. Default: 1000. */
  readonly stepMs?: number;
  /** Whether area A behaves as the document says or as the real service does. Default: `document`. */
  readonly dialect?: DialectName;
  /** Whether area A has v1.0, with the old shape of items. Default: true. */
  readonly itemV1?: boolean;
  /** What happens to client-supplied ids of new records. The default depends on the dialect. */
  readonly chosenIds?: ClientIdOption;
  /** How many records of each set the first company has. */
  readonly records?: RecordCounts;
  /** How webhooks for record changes are delivered. */
  readonly webhooks?: WebhookOptions;
}
