import type { Business } from '../business/business.ts';
import type { Changes } from '../changes/changes.ts';
import type { Health } from '../health/health.ts';
import type { Instances } from '../instances/instances.ts';
import type { Upstreams } from '../upstream/upstreams.ts';
import type { AnswerMeter } from './answer-meter.ts';

/** What resolvers work with: one property per domain, made afresh for each operation. */
export interface Context {
  /** Counts what the operation shows. */
  readonly meter: AnswerMeter;
  readonly business: Business;
  readonly instances: Instances;
  readonly health: Health;
  readonly changes: Changes;
  readonly upstreams: Upstreams;
}
