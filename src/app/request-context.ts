import { type Business, type BusinessOptions, createBusiness } from '../business/records/business.ts';
import { createExtensionContext, type ExtensionOperation } from '../business/records/extension-context.ts';
import { createRecordReader, type WatchedRecordTypes } from '../business/records/watched-records.ts';
import { createRecordChanges, type RecordChanges, type RecordChangesOptions } from '../changes/changes.ts';
import { InputError, type UpstreamName } from '../errors.ts';
import type { Context } from '../graph/context.ts';
import { createUpstreamsList, type ListUpstreams } from '../graph/upstreams.ts';
import type { UserError } from '../graph/user-errors.ts';
import { createHealthEvents, type HealthEvents, type HealthEventsOptions } from '../health/health.ts';
import type { Access } from '../http/auth/access.ts';
import { observeClient } from '../http/call-tracing.ts';
import type { UpstreamClient } from '../http/client.ts';
import {
  createInstanceControl,
  type InstanceControl,
  type InstanceControlOptions,
} from '../instances/instance-control.ts';
import type { ContextParts } from '../server/execution/executor.ts';
import { requireScopes } from '../server/guard/authorization.ts';
import type { ConnectedUpstream } from './connect-upstreams.ts';
import type { AreaCredentials } from './credentials.ts';

/** The parts of the context that all requests share. */
export interface Domains {
  readonly business: BusinessOptions;
  readonly instances: InstanceControlOptions;
  readonly health: HealthEventsOptions;
  readonly watchedRecordTypes: WatchedRecordTypes;
  readonly changes: RecordChangesOptions;
  readonly upstreams: Readonly<Record<UpstreamName, ConnectedUpstream>>;
  /** Whether unverified callers may query `upstreams`. */
  readonly showsUpstreamsToAll: boolean;
  readonly credentials: { readonly business: AreaCredentials; readonly management: AreaCredentials };
  /** Scopes that a verified token needs for areas B and C. */
  readonly managementScopes: readonly string[];
}

/** Returns a function that creates the GraphQL context of an operation. */
export const createContextFactory =
  (domains: Domains) =>
  (parts: ContextParts): Context =>
    new OperationContext(domains, parts);

/** Creates each domain on first use, because most operations need only one and subscriptions stay in memory. */
class OperationContext implements Context {
  readonly #domains: Domains;
  readonly #parts: ContextParts;
  #businessAccess: Access | undefined;
  #business: Business | undefined;
  #instances: InstanceControl | undefined;
  #health: HealthEvents | undefined;
  #changes: RecordChanges | undefined;
  #extension: ExtensionOperation | undefined;

  constructor(domains: Domains, parts: ContextParts) {
    this.#domains = domains;
    this.#parts = parts;
  }

  get business(): Business {
    if (this.#business) return this.#business;
    const access = this.#accessBusiness();
    const options = this.#observed('business', this.#domains.business);
    this.#business = createBusiness(options, access, this.#parts.selection, this.#parts.caller.readsPrimary);
    return this.#business;
  }

  get instances(): InstanceControl {
    this.#instances ??= createInstanceControl(
      this.#observed('instances', this.#domains.instances),
      this.#authorizeManagement('instances'),
    );
    return this.#instances;
  }

  get health(): HealthEvents {
    this.#health ??= createHealthEvents(
      this.#observed('health', this.#domains.health),
      this.#authorizeManagement('health'),
      this.#parts.selection,
    );
    return this.#health;
  }

  get changes(): RecordChanges {
    this.#changes ??= createRecordChanges(
      this.#domains.changes,
      createRecordReader(this.business, this.#domains.watchedRecordTypes),
      this.#accessBusiness(),
    );
    return this.#changes;
  }

  get extension(): ExtensionOperation {
    const { client } = this.#observed('business', this.#domains.business);
    this.#extension ??= createExtensionContext(client, this.#accessBusiness(), this.#parts.deadline);
    return this.#extension;
  }

  reportUserError(error: UserError): void {
    this.#parts.onUserError?.(error);
  }

  get upstreams(): ListUpstreams {
    if (!this.#parts.caller.verified && !this.#domains.showsUpstreamsToAll)
      throw new InputError(
        '`upstreams` requires a verified caller, and this server does not verify callers. Set JWT_ISSUER.',
        'FORBIDDEN',
      );
    return createUpstreamsList(this.#domains.upstreams, (upstream) =>
      upstream === 'business' ? this.#accessBusiness() : this.#accessManagement(upstream),
    );
  }

  #accessBusiness(): Access {
    const { caller, deadline } = this.#parts;
    this.#businessAccess ??= this.#domains.credentials.business.forCaller('business', caller, deadline);
    return this.#businessAccess;
  }

  #accessManagement(upstream: UpstreamName): Access {
    const { caller, deadline } = this.#parts;
    return this.#domains.credentials.management.forCaller(upstream, caller, deadline);
  }

  #authorizeManagement(upstream: 'instances' | 'health'): Access {
    const { verified } = this.#parts.caller;
    if (verified) requireScopes(this.#domains.managementScopes, verified, 'this');
    return this.#accessManagement(upstream);
  }

  #observed<Options extends { readonly client: UpstreamClient }>(
    upstream: UpstreamName,
    options: Options,
  ): Options {
    const { observers } = this.#parts;
    return observers.length === 0
      ? options
      : { ...options, client: observeClient(options.client, upstream, observers) };
  }
}
