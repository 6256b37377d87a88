/** V8 optimizes a function after fifteen times its usual budget: optimizing costs a process of a few seconds more than it saves. */
export const optimizeLate = '--interrupt-budget=1000000';

/** Sizes of V8's young generation, in MiB: with its default, workers spend more time on garbage collection. */
export const largeYoungGeneration = ['--min-semi-space-size=16', '--max-semi-space-size=32'] as const;
