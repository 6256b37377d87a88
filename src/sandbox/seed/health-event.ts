/** A health event as area C sends it: nothing but its names is always there. */
export interface HealthEvent {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly location?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** An event, and what it plays. */
export interface SeededEvent {
  readonly about: string;
  readonly event: HealthEvent;
}

/** The time so many hours before the start of the sandbox. */
export type HoursBefore = (hours: number) => string;

export function event(
  name: string,
  about: string,
  properties?: HealthEvent['properties'],
  more: Readonly<Record<string, unknown>> = {},
): SeededEvent {
  const names = {
    id: `/providers/Vendor.Health/events/${name}`,
    name,
    type: '/providers/Vendor.Health/events',
  };
  return { about, event: { ...names, ...more, ...(properties === undefined ? {} : { properties }) } };
}

export function hoursBefore(startedAt: number): HoursBefore {
  return (hours) => new Date(startedAt - hours * 3_600_000).toISOString();
}

/** The permanent identifier of an invented service. */
export function serviceGuid(index: number): string {
  return `5e71ce00-0000-4000-8000-${String(index).padStart(12, '0')}`;
}
