interface Cleaning {
  onCleanup(act: () => unknown): void;
}

/** A fixture that needs no other one. */
export const fixture =
  <Made>(make: (cleaning: Cleaning) => Promise<Made>) =>
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs
  ({}: object, cleaning: Cleaning): Promise<Made> =>
    make(cleaning);
