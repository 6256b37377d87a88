/** Gives names, each once. */
export interface NameList {
  /** The name, or where it is taken the name with the lowest number that makes it another. */
  take(name: string): string;
  has(name: string): boolean;
}

/** `isTaken` tells of names beside those that were given. */
export function createNameList(isTaken: (name: string) => boolean = () => false): NameList {
  const given = new Set<string>();
  const has = (name: string) => given.has(name) || isTaken(name);
  return {
    has,
    take(name) {
      let free = name;
      // `name2` reads better than `name_2`, which GraphQL's conventions of names exclude.
      for (let number = 2; has(free); number += 1)
        free = /\d$/.test(name) ? `${name}N${number}` : `${name}${number}`;
      given.add(free);
      return free;
    },
  };
}
