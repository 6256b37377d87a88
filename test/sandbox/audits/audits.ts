import type { Audit } from './audit.ts';
import { batches, batchWrites } from './batches.ts';
import { creations, masters } from './creations.ts';
import { filters } from './filters.ts';
import { queries } from './queries.ts';
import { shapes } from './shapes.ts';
import { writes } from './writes.ts';

/** Every rule, reads first: what is written later cannot disturb them. */
export const audits: readonly Audit[] = [
  ...shapes,
  ...filters,
  ...queries,
  ...batches,
  ...writes,
  ...creations,
  ...masters,
  ...batchWrites,
];
