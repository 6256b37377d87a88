import type { Audit } from './audit.ts';
import { batchWrites } from './batch-writes.ts';
import { batches } from './batches.ts';
import { creations } from './creations.ts';
import { filters } from './filters.ts';
import { masters } from './masters.ts';
import { operators } from './operators.ts';
import { pages } from './pages.ts';
import { purchases } from './purchases.ts';
import { queries } from './queries.ts';
import { refusals } from './refusals.ts';
import { service } from './service.ts';
import { shapes } from './shapes.ts';
import { writes } from './writes.ts';

/** Every rule, reads first: what is written later cannot disturb them. */
export const audits: readonly Audit[] = [
  ...shapes,
  ...filters,
  ...operators,
  ...queries,
  ...pages,
  ...batches,
  ...service,
  ...purchases.filter(({ isWrite }) => !isWrite),
  ...writes,
  ...creations,
  ...masters,
  ...purchases.filter(({ isWrite }) => isWrite),
  ...refusals,
  ...batchWrites,
];
