/** A health event of area C. Only its id, name and type are always present. */
export interface HealthEvent {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly location?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** An event, and what it is for. */
export interface SeededEvent {
  readonly description: string;
  readonly event: HealthEvent;
}

/** The time that many hours before the start of the sandbox. */
export type HoursBefore = (hours: number) => string;

export function seededEvent(
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
  return {
    description: about,
    event: { ...names, ...more, ...(properties === undefined ? {} : { properties }) },
  };
}

export function hoursBefore(startedAt: number): HoursBefore {
  return (hours) => new Date(startedAt - hours * 3_600_000).toISOString();
}

/** The id of an invented service. */
export function serviceGuid(index: number): string {
  return `5e71ce00-0000-4000-8000-${String(index).padStart(12, '0')}`;
}
