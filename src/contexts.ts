import type { Accesses } from './access.ts';
import { type Business, type BusinessOptions, createBusiness } from './business/business.ts';
import { createRecordReader } from './business/record-types.ts';
import { type Changes, createChanges } from './changes/changes.ts';
import type { Polls } from './changes/polls.ts';
import { InputError, type UpstreamName } from './errors.ts';
import type { AnswerMeter } from './graph/answer-meter.ts';
import type { Context } from './graph/context.ts';
import { createHealth, type Health, type HealthOptions } from './health/health.ts';
import { createInstances, type Instances, type InstancesOptions } from './instances/instances.ts';
import { demand } from './server/authorization.ts';
import type { Asking } from './server/executor.ts';
import type { Access } from './upstream/access.ts';
import type { Client } from './upstream/client.ts';
import { createUpstreams, type Upstreams } from './upstream/upstreams.ts';
import { watched } from './upstream/watch.ts';
import type { Connected } from './upstreams.ts';

/** What the domains work with, whoever asks. */
export interface Domains {
  readonly business: BusinessOptions;
  readonly instances: InstancesOptions;
  readonly health: HealthOptions;
  readonly polls: Polls;
  readonly upstreams: Readonly<Record<UpstreamName, Connected>>;
  /** Whether callers who are not verified are told how the upstreams do. */
  readonly showsUpstreamsToAll: boolean;
  readonly accesses: { readonly business: Accesses; readonly management: Accesses };
  /** What a token has to grant for areas B and C. */
  readonly managementScopes: readonly string[];
}

/** A context for each operation, in its caller's name. */
export const createContexts =
  (domains: Domains) =>
  (asking: Asking): Context =>
    new OperationContext(domains, asking);

/** Makes each domain when it is first asked for: most operations need one, and watchers are many. */
class OperationContext implements Context {
  readonly #domains: Domains;
  readonly #asking: Asking;
  #businessAccess: Access | undefined;
  #business: Business | undefined;
  #instances: Instances | undefined;
  #health: Health | undefined;
  #changes: Changes | undefined;

  constructor(domains: Domains, asking: Asking) {
    this.#domains = domains;
    this.#asking = asking;
  }

  get meter(): AnswerMeter {
    return this.#asking.meter;
  }

  get business(): Business {
    this.#business ??= createBusiness(
      this.#followed('business', this.#domains.business),
      this.#ofBusiness(),
      this.#asking.selection,
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
    if (!this.#asking.caller.verified && !this.#domains.showsUpstreamsToAll)
      throw new InputError(
        '`upstreams` is for verified callers, and this deployment verifies none (JWT_ISSUER).',
        'FORBIDDEN',
      );
    return createUpstreams(this.#domains.upstreams, (upstream) =>
      upstream === 'business' ? this.#ofBusiness() : this.#ofManagement(upstream),
    );
  }

  #ofBusiness(): Access {
    const { caller, deadline } = this.#asking;
    this.#businessAccess ??= this.#domains.accesses.business.of('business', caller, deadline);
    return this.#businessAccess;
  }

  #ofManagement(upstream: UpstreamName): Access {
    const { caller, deadline } = this.#asking;
    return this.#domains.accesses.management.of(upstream, caller, deadline);
  }

  #managed(upstream: 'instances' | 'health'): Access {
    const { verified } = this.#asking.caller;
    if (verified) demand(this.#domains.managementScopes, verified, 'this');
    return this.#ofManagement(upstream);
  }

  #followed<Options extends { readonly client: Client }>(upstream: UpstreamName, options: Options): Options {
    const { watches } = this.#asking;
    return watches.length === 0
      ? options
      : { ...options, client: watched(options.client, upstream, watches) };
  }
}
