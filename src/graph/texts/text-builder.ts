export interface TextBuilder {
  add(part: string): void;
  toString(): string;
}

// Joining 4,096 short parts takes less than a millisecond, a million of them a third of a second.
const maxParts = 4_096;

/** Concatenates parts as they come, so that none of the calls takes long, the last one included. */
export function createTextBuilder(): TextBuilder {
  const joined: string[] = [];
  const parts: string[] = [];
  return {
    add(part) {
      parts.push(part);
      if (parts.length < maxParts) return;
      joined.push(parts.join(''));
      parts.length = 0;
    },
    toString: () => [...joined, ...parts].join(''),
  };
}
