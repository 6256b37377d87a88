// A shorter one may be a word. The layer hides those, too, but where they stand alone.
const shortest = 8;

/** Looks for what was given in confidence in everything that is told. */
export function createLeaks() {
  const forms = new Set<string>();
  const found: string[] = [];

  return {
    /** From now on this must turn up nowhere, neither as it is nor in a form that anybody can undo. */
    keep(secret: string) {
      if (secret.length < shortest || forms.has(secret)) return;
      for (const form of formsOf(secret)) forms.add(form);
    },
    /** Looks through a text; what is found is told by `check`, as whoever writes a log must not fail. */
    look(where: string, text: string) {
      for (const form of forms) {
        const at = text.indexOf(form);
        if (at !== -1) found.push(`${where} holds ${form}: ${text.slice(Math.max(0, at - 200), at + 200)}`);
      }
    },
    /** Throws where something was found since the last time. */
    check() {
      const [first] = found.splice(0);
      if (first !== undefined) throw new Error(first);
    },
  };
}

/** Every token of this process's tests, for who is to be sent none. */
export const everyToken = createLeaks();

/** Plain, in JSON, in an address, and in Base64 wherever it may begin there. */
function formsOf(secret: string): readonly string[] {
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return (['base64', 'base64url'] as const).map((alphabet) => bytes.toString(alphabet).slice(from, to));
  });
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), ...inBase64];
}
