import type { Area } from '../areas.ts';
import type { FaultKindName } from './fault-kinds.ts';

/**
 * A fault that affects the next `times` matching requests or, with `part`, the next matching parts of batches.
 * With `status`, the request is not executed unless `after` is set.
 */
export interface Fault {
  /** Under which it is listed and removed. */
  readonly id?: number;
  /** The kind that it was added by. Fields that were given beside it take precedence. */
  readonly kind?: FaultKindName;
  readonly area?: Area;
  readonly method?: string;
  readonly path?: string;
  /** Delays the response. The request is executed before the delay. */
  readonly delayMs?: number;
  /** Delays the execution, and so the response. The request is executed even when its caller has disconnected. */
  readonly lateMs?: number;
  readonly status?: number;
  /** Executes the request before responding with `status`, like a gateway that loses the response. */
  readonly after?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bytes?: number;
  readonly cutAt?: number;
  readonly reset?: 'before' | 'after';
  readonly part?: boolean;
  /** Omits the part from the response of its batch. With `before`, it is not executed either. */
  readonly missing?: boolean | 'before';
  /** Executes the request twice, like an intermediary that delivers it twice, and returns the second response. */
  readonly repeat?: boolean;
  /** Hides the created record from reads for this long. */
  readonly unseenMs?: number;
  /** Sends an unrequested `100 Continue` before the response. */
  readonly interim?: boolean;
  /** Closes the connection this long after the response. */
  readonly closeAfterMs?: number;
  times: number;
}
