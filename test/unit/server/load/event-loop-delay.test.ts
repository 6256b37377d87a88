import { afterEach, describe, expect, test, vi } from 'vitest';
import { monitorEventLoopDelay } from '../../../../src/server/load/shedding.ts';

const samplingIntervalMs = 50;

describe('by a clock that a busy machine does not move', () => {
  let now = 0;

  function monitor() {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    return monitorEventLoopDelay();
  }
  /** Timers fire when they are due. */
  function run(ms: number): void {
    for (let passed = 0; passed < ms; passed += samplingIntervalMs) stop(samplingIntervalMs);
  }
  /** No timer fires before all of the time has passed. */
  function stop(ms: number): void {
    now += ms;
    vi.advanceTimersByTime(samplingIntervalMs);
  }
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  test('an event loop that stops once, however long, is not late', () => {
    const delay = monitor();
    const said: number[] = [];
    run(700);
    stop(800);
    for (let at = 0; at < 40; at++) {
      run(samplingIntervalMs);
      said.push(delay.sustainedMs());
    }

    expect(Math.max(...said)).toBe(0);
  });

  test('an event loop that stops again and again is as late as it stops', () => {
    const delay = monitor();
    for (let at = 0; at < 6; at++) stop(250);

    expect(delay.sustainedMs()).toBe(250 - samplingIntervalMs);
  });
});
