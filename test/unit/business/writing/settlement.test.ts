import { expect, test } from 'vitest';
import { type Decision, settle } from '../../../../src/business/writing/settlement.ts';
import { type Delivery, UpstreamError } from '../../../../src/errors.ts';
import type { CallResult } from '../../../../src/odata/batch.ts';

const failure = (delivery: Delivery, status = 500) =>
  new UpstreamError('UPSTREAM_UNAVAILABLE', 'No.', { upstream: 'business', delivery, status });
const [lost, refused] = [failure('unknown'), failure('rejected', 400)];
const throttled = failure('rejected', 429);
const success: CallResult = { status: 204, headers: {}, body: null, bytes: null, redact: (text) => text };

type Told = { readonly told: string };

/** Settles a write after `first`: what is told, and what was done until then. `pauses` are those for which there is time. */
async function run(
  first: CallResult,
  decisions: readonly Decision<Told>[],
  answers: readonly CallResult[] = [],
  pauses = 10,
) {
  const [nextDecision, nextAnswer] = [decisions.values(), answers.values()];
  const steps: string[] = [];
  let left = pauses;
  const { told } = await settle<null, Told>(
    {
      parse: (answer) => (answer instanceof UpstreamError ? answer : null),
      complete: async () => ({ told: 'complete' }),
      async decide(_failure, all) {
        steps.push(`decide ${all.length}`);
        return nextDecision.next().value as Decision<Told>;
      },
      async pause() {
        steps.push('pause');
        left -= 1;
        return left >= 0;
      },
      async sendAgain() {
        steps.push('send');
        return nextAnswer.next().value as CallResult;
      },
    },
    first,
  );
  return [told, steps.join(', ')];
}

const again = { told: 'unknown', next: 'sendAgain' } as const;
const read = { told: 'unknown', next: 'readAgain' } as const;
const end = { told: 'end' };

test.each([
  ['a success is complete', success, [], [], 'complete', ''],
  ['a refusal is told as decided', refused, [end], [], 'end', 'decide 0'],
  ['a lost attempt is told as decided', lost, [end], [], 'end', 'decide 1'],
  ['records are read again after a pause', lost, [read, end], [], 'end', 'decide 1, pause, decide 1'],
  ['it is sent again after a pause', lost, [again], [success], 'complete', 'decide 1, pause, send'],
  [
    'another lost attempt is decided with the first',
    lost,
    [again, end],
    [lost],
    'end',
    'decide 1, pause, send, decide 2',
  ],
  [
    'an attempt that was not carried out counts for nothing, and is paused after',
    lost,
    [again, again],
    [throttled, success],
    'complete',
    'decide 1, pause, send, pause, decide 1, pause, send',
  ],
  [
    'a refusal that follows a refusal is decided by itself',
    refused,
    [again, end],
    [throttled],
    'end',
    'decide 0, pause, send, decide 0',
  ],
] as const)('%s', async (_title, first, decisions, answers, told, steps) => {
  expect(await run(first, decisions, answers)).toEqual([told, steps]);
});

test.each([
  ['before it is sent again', [again], [], 0, 'decide 1, pause'],
  ['before records are read again', [read], [], 0, 'decide 1, pause'],
  ['after an attempt that was not carried out', [again], [throttled], 1, 'decide 1, pause, send, pause'],
] as const)(
  'without time left %s, the last decision is told',
  async (_when, decisions, answers, pauses, steps) => {
    expect(await run(lost, decisions, answers, pauses)).toEqual(['unknown', steps]);
  },
);
