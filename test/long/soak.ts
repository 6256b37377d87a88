import { setTimeout as sleep } from 'node:timers/promises';
import type { DialectName } from '../../sandbox/business/dialect.ts';
import type { ClientIdPolicy } from '../../sandbox/business/writes/client-ids.ts';
import { startTestLayer } from '../support/layer.ts';
import { asDeployed } from '../support/proxies/disturbed.ts';
import { startTestSandbox } from '../support/sandbox.ts';

export const writeTimeoutMs = 250;
/** How long after it was sent a late write arrives. */
export const slowMs = 400;

const usual = [
  'resetBefore',
  'resetAfter',
  'error500',
  'error500After',
  'error503',
  'error503After',
  'throttle',
  'truncated',
  'slow',
  'late',
  'omitted',
  'omittedBefore',
];

/** What a round meets: the usual faults, and with them refusals that are none, or what lies between layer and upstream. */
export const disturbances = {
  usual,
  // Rights do not come and go: what is refused for one was not carried out by a sending that comes late, either.
  refusals: [
    ...usual.filter((kind) => kind !== 'late'),
    'vanished',
    'noEnvironment',
    'forbidden500',
    'vanished',
    'noEnvironment',
  ],
  intermediaries: [...usual, 'repeated', 'unseen', 'interim', 'idleClose', 'repeated', 'unseen'],
} as const;

/** A record as `GET /sandbox/records` tells the truth about it. */
export interface Stored {
  readonly id: string;
  readonly version: number;
  readonly etag: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

/** Two layers in front of one sandbox that fails at random. */
export async function startSoak(chosenIds: ClientIdPolicy, dialect: DialectName) {
  const records = { customers: 20, items: 20, orders: 5, employees: 5, quotes: 5 };
  const sandbox = await startTestSandbox({ chosenIds, dialect, records });
  const settings = {
    ...asDeployed,
    // Short time-outs leave none to wait in.
    UPSTREAM_CALLS_PER_CALLER: '64',
    WRITE_TIMEOUT_MS: String(writeTimeoutMs),
    BUSINESS_DIALECT: dialect,
  };
  const layers = [await startTestLayer(sandbox.url, settings), await startTestLayer(sandbox.url, settings)];
  const disturb = async (chaos: Readonly<Record<string, unknown>>) => {
    const response = await sandbox.send('POST', '/sandbox/chaos', chaos);
    if (!response.ok) throw new Error(`chaos: ${response.status} ${await response.text()}`);
  };
  return {
    sandbox,
    layers,
    disturb,
    async storedIn(set: string): Promise<readonly Stored[]> {
      const response = await sandbox.send('GET', `/sandbox/records?set=${set}`);
      return ((await response.json()) as { records: Stored[] }).records;
    },
    /** Ends the disturbance. What is late comes now or never. */
    async calm() {
      await disturb({ rate: 0 });
      await sleep(slowMs + 200);
    },
    async stop() {
      await Promise.all(layers.map((layer) => layer.stop()));
      await sandbox.stop();
    },
  };
}
