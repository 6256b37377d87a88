import type { Accesses } from './access.ts';
import { type Business, type BusinessOptions, createBusiness } from './business/business.ts';
import { createRecordReader } from './business/record-types.ts';
import { type Changes, createChanges } from './changes/changes.ts';
import type { Polls } from './changes/polls.ts';
import type { UpstreamName } from './errors.ts';
import type { Context } from './graph/context.ts';
import type { Selection } from './graph/selection.ts';
import { createHealth, type Health, type HealthOptions } from './health/health.ts';
import { createInstances, type Instances, type InstancesOptions } from './instances/instances.ts';
import { demand } from './server/authorization.ts';
import type { Caller } from './server/caller.ts';
import type { Access } from './upstream/access.ts';
import type { Client } from './upstream/client.ts';
import { createUpstreams, type Upstreams } from './upstream/upstreams.ts';
import { type CallWatch, watched } from './upstream/watch.ts';
import type { Connected } from './upstreams.ts';

/** What the domains work with, whoever asks. */
export interface Domains {
  readonly business: BusinessOptions;
  readonly instances: InstancesOptions;
  readonly health: HealthOptions;
  readonly polls: Polls;
  readonly upstreams: Readonly<Record<UpstreamName, Connected>>;
  readonly accesses: { readonly business: Accesses; readonly management: Accesses };
  /** What a token has to grant for areas B and C. */
  readonly managementScopes: readonly string[];
}

/** A context for each operation, in its caller's name. `watches` follow every upstream call made with it. */
export const createContexts =
  (domains: Domains) =>
  (caller: Caller, selection: Selection, watches: readonly CallWatch[]): Context =>
    new OperationContext(domains, caller, selection, watches);

/** Makes each domain when it is first asked for: most operations need one, and watchers are many. */
class OperationContext implements Context {
  readonly #domains: Domains;
  readonly #caller: Caller;
  readonly #selection: Selection;
  readonly #watches: readonly CallWatch[];
  #businessAccess: Access | undefined;
  #business: Business | undefined;
  #instances: Instances | undefined;
  #health: Health | undefined;
  #changes: Changes | undefined;

  constructor(domains: Domains, caller: Caller, selection: Selection, watches: readonly CallWatch[]) {
    this.#domains = domains;
    this.#caller = caller;
    this.#selection = selection;
    this.#watches = watches;
  }

  get business(): Business {
    this.#business ??= createBusiness(
      this.#followed('business', this.#domains.business),
      this.#ofBusiness(),
      this.#selection,
    );
    return this.#business;
  }

  get instances(): Instances {
    this.#instances ??= createInstances(
      this.#followed('instances', this.#domains.instances),
      this.#managed('instances'),
    );
    return this.#instances;
  }

  get health(): Health {
    this.#health ??= createHealth(this.#followed('health', this.#domains.health), this.#managed('health'));
    return this.#health;
  }

  get changes(): Changes {
    this.#changes ??= createChanges(
      this.#domains.polls,
      createRecordReader(this.business),
      this.#ofBusiness(),
    );
    return this.#changes;
  }

  get upstreams(): Upstreams {
    const { upstreams, accesses } = this.#domains;
    return createUpstreams(upstreams, (upstream) =>
      upstream === 'business' ? this.#ofBusiness() : accesses.management.of(upstream, this.#caller),
    );
  }

  #ofBusiness(): Access {
    this.#businessAccess ??= this.#domains.accesses.business.of('business', this.#caller);
    return this.#businessAccess;
  }

  #managed(upstream: 'instances' | 'health'): Access {
    const { accesses, managementScopes } = this.#domains;
    if (this.#caller.verified) demand(managementScopes, this.#caller.verified, 'this');
    return accesses.management.of(upstream, this.#caller);
  }

  #followed<Options extends { readonly client: Client }>(upstream: UpstreamName, options: Options): Options {
    if (this.#watches.length === 0) return options;
    return { ...options, client: watched(options.client, upstream, this.#watches) };
  }
}
