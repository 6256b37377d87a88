import { vi } from 'vitest';
import type { Answer, Line, TestLayer } from '../layer.ts';

const deep = (open: string, close: string) => open.repeat(20_000) + close.repeat(20_000);

/** JSON that is right, and not what anybody expects; as text, since not all of it survives `JSON.stringify`. */
const shapes: Readonly<Record<string, string>> = {
  null: 'null',
  'a number beyond all doubles': '1e400',
  'an empty text': '""',
  'a long text': JSON.stringify('long '.repeat(4_000)),
  'half a surrogate pair': '"\\ud800"',
  'ends of lines and NUL': '"a\\r\\nb: c\\u0000"',
  'the name of a prototype': '"__proto__"',
  'an empty list': '[]',
  'an empty object': '{}',
  'an object that is no text': '{"toString":1,"valueOf":null,"toJSON":2,"then":3,"length":-1}',
  'an object with the names of prototypes':
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  'a list 20,000 deep': deep('[', ']'),
  'an object 20,000 deep': deep('{"value":', '}').replace('{"value":}', '{}'),
};

export interface Odd {
  /** What is odd in it, and where. */
  readonly what: string;
  /** JSON. */
  readonly text: string;
}

const mark = '@the odd one@';

/**
 * A body with one value of it replaced by each shape, or left out: the body itself, and each value in it in turn. Of
 * lists the first entry stands for all.
 */
export function oddOnes(body: unknown): readonly Odd[] {
  return [...placesIn(body)].flatMap(([where, make]) => {
    const text = JSON.stringify(make(mark));
    const replaced = Object.entries(shapes).map(([shape, odd]) => ({
      what: `${where} is ${shape}`,
      text: text.replace(JSON.stringify(mark), () => odd),
    }));
    // Left out of its object; of a list, null is what comes of it.
    return [...replaced, { what: `${where} is left out`, text: JSON.stringify(make(undefined)) ?? '{}' }];
  });
}

type Place = readonly [where: string, make: (value: unknown) => unknown];

function* placesIn(value: unknown, where = 'the body'): Generator<Place> {
  yield [where, (odd) => odd];
  if (typeof value !== 'object' || value === null) return;
  const entries = Array.isArray(value) ? value.slice(0, 1).entries() : Object.entries(value);
  for (const [name, inner] of entries) {
    for (const [at, make] of placesIn(inner, `${where === 'the body' ? '' : `${where}.`}${name}`)) {
      yield [
        at,
        (odd) => (Array.isArray(value) ? [make(odd), ...value.slice(1)] : { ...value, [name]: make(odd) }),
      ];
    }
  }
}

const seriousLevels: ReadonlySet<unknown> = new Set(['error', 'fatal']);
const ends = ['unhandledRejection', 'uncaughtException', 'warning'] as const;
const blamesOthers =
  /^(UPSTREAM_[A-Z_]+|UNAUTHENTICATED|FORBIDDEN|OPERATION_EXPIRED|BAD_USER_INPUT|GRAPHQL_\w+|DOCUMENT_NOT_TRUSTED)$/;

/**
 * Looks for harm in this process and a layer in it: what would end it, what a library writes to the console, what is
 * logged as a mistake, and errors whose code blames the layer.
 */
export function lookForHarm(layer: TestLayer) {
  /** What an odd shape has caused and must not, a line each. */
  const all: string[] = [];
  const loose: string[] = [];
  const note = (...said: readonly unknown[]) => void loose.push(said.map(String).join(' '));
  for (const event of ends) process.on(event, note);
  const spies = (['error', 'warn'] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation(note),
  );
  const seen = new Set(layer.lines().map(keyOf));
  return {
    all,
    /** Looks what has happened since the last look, after what was played; `answer` is what came of it. */
    look(after: string, { errors = [] }: { readonly errors?: Answer['errors'] | undefined } = {}) {
      const found = loose.splice(0);
      for (const line of layer.lines()) {
        if (!seriousLevels.has(line.level) || seen.has(keyOf(line))) continue;
        seen.add(keyOf(line));
        found.push(`logged: ${line.msg}`);
      }
      for (const { extensions, message } of errors)
        if (!blamesOthers.test(String(extensions?.code))) found.push(`${extensions?.code}: ${message}`);
      if (({} as Record<string, unknown>).polluted !== undefined) found.push('a prototype was changed');
      all.push(...found.map((one) => `${after}: ${one}`));
    },
    stop() {
      for (const event of ends) process.off(event, note);
      for (const spy of spies) spy.mockRestore();
    },
  };
}

const keyOf = ({ time, requestId, msg }: Line) => `${time} ${requestId} ${msg}`;
