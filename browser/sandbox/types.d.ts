/** What the control API of the sandbox responds with. */

export interface JournalPart {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly chaos?: string;
}

export interface JournalEntry {
  readonly id: number;
  readonly revision: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly area?: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
  readonly status: number;
  readonly durationMs: number;
  readonly isPending: boolean;
  readonly user?: string;
  readonly fault?: string;
  readonly chaos?: string;
  readonly parts?: readonly JournalPart[];
}

export interface Fault {
  readonly id: number;
  readonly times: number;
  readonly kind?: string;
  readonly area?: string;
  readonly method?: string;
  readonly path?: string;
  readonly part?: boolean;
  readonly status?: number;
}

export interface FaultKind {
  readonly name: string;
  readonly description: string;
  readonly affects: 'all' | 'requests' | 'parts';
  readonly isOptIn: boolean;
}

export interface Faults {
  readonly faults: readonly Fault[];
  readonly kinds: readonly FaultKind[];
}

export interface RandomFaults {
  readonly rate: number;
  readonly reads?: boolean;
}

interface Described {
  readonly description: string | null;
  readonly path: string;
}

export interface RecordSet {
  readonly name: string;
  readonly records: number;
  readonly writes: readonly string[];
  readonly path: string;
}

export interface Company {
  readonly id: string;
  readonly name: string;
  readonly sets: readonly RecordSet[];
}

export interface VirtualInstance {
  readonly group: string;
  readonly name: string;
  readonly applicationInstances: number;
  readonly centralInstances: number;
  readonly databaseInstances: number;
  readonly failsAt: string | null;
  readonly path: string;
}

export interface Instance extends Described {
  readonly name: string;
  readonly outcome: string;
  readonly status: string;
}

export interface HealthEvent extends Described {
  readonly trackingId: string;
  readonly title: string | null;
  readonly isBeyondDocument: boolean;
}

export interface Contents {
  readonly companies: readonly Company[];
  readonly oddRecords: readonly (Described & { readonly set: string })[];
  readonly defaultDescription: string;
  readonly virtualInstances: readonly VirtualInstance[];
  readonly instances: readonly Instance[];
  readonly events: readonly HealthEvent[];
  readonly users: readonly { readonly name: string; readonly description: string }[];
  readonly tokens: string;
}
