import { type Stub, type StubAnswer, startStub } from '../stub.ts';

type Row = Record<string, unknown>;

/** An entity set of the stub: its rows, and the columns of their key in the order of OData. */
export interface StubSet {
  readonly route: string;
  readonly key: readonly string[];
  readonly rows: Row[];
  /** The key of a record that is created without one. */
  readonly nextKey?: () => Row;
}

export interface ODataStub extends Stub {
  /** Method and path of each call, decoded; the parts of a batch in brackets behind it. */
  calls(): readonly string[];
  /** The next request with this method is carried out, and its response is lost. */
  loseNext(method: string): void;
  /** Answers requests with this method, or any, whose address contains `part` with a status. */
  fail(part: string, status: number, method?: string): void;
  /** Removes the rows of a set with these ids. */
  remove(name: string, ids: readonly string[]): void;
  forget(): void;
}

/** A small OData service for sets with any key, below any route: for what the sandbox's sets are not like. */
export async function startODataStub(sets: Readonly<Record<string, StubSet>>): Promise<ODataStub> {
  const lost: string[] = [];
  const failing: { part: string; status: number; method: string | undefined }[] = [];
  let from = 0;
  let version = 1;
  const etagOf = (row: Row) => `W/"${row.version ?? 0}"`;
  const shown = (row: Row, select: string | null) => {
    const { version: _version, ...columns } = row;
    const wanted = select?.split(',') ?? Object.keys(columns);
    return {
      '@odata.etag': etagOf(row),
      ...Object.fromEntries(wanted.map((name) => [name, columns[name]])),
    };
  };
  const notFound = { status: 404, body: { error: { code: 'Internal_RecordNotFound', message: 'none' } } };

  const answerOne = (method: string, target: string, headers: Row, body: Row | null): StubAnswer => {
    for (const { part, status, method: only } of failing)
      if (decodeURIComponent(target).includes(part) && (only ?? method) === method)
        return { status, body: { error: { code: 'Some_Failure', message: 'It fails.' } } };
    const [path = '', query] = target.split('?');
    const [, route = '', segment = ''] = /^\/api\/(.+?)\/companies\([^)]*\)\/([^/]*)$/.exec(path) ?? [];
    const name = decodeURIComponent(segment.replace(/\(.*$/, ''));
    const set = sets[`${route}/${name}`] ?? sets[name];
    if (!set || set.route !== route)
      return { status: 404, body: { error: { code: 'No', message: 'no set' } } };
    const options = new URLSearchParams(query);
    const select = options.get('$select');
    if (!segment.includes('(')) {
      if (method === 'POST') {
        const row: Row = { ...set.nextKey?.(), ...body, version: version++ };
        const isTaken = set.rows.some((other) => set.key.every((column) => other[column] === row[column]));
        if (isTaken)
          return {
            status: 400,
            body: { error: { code: 'Internal_EntityWithSameKeyExists', message: 'taken' } },
          };
        set.rows.push(row);
        return { status: 201, body: shown(row, null) };
      }
      const filter = options.get('$filter');
      const rows = set.rows.filter((row) => filter === null || holds(filter, row));
      const order = options.get('$orderby')?.split(' ');
      const ordered = order
        ? rows.toSorted((a, b) => String(a[order[0] ?? '']).localeCompare(String(b[order[0] ?? ''])))
        : rows;
      if (order?.[1] === 'desc') ordered.reverse();
      const top = Number(options.get('$top') ?? ordered.length);
      return { body: { value: ordered.slice(0, top).map((row) => shown(row, select)) } };
    }
    const keys = readKeys(decodeURIComponent(segment.slice(segment.indexOf('(') + 1, -1)), set.key);
    const index = set.rows.findIndex((row) => set.key.every((column) => row[column] === keys[column]));
    const row = set.rows[index];
    if (!row) return notFound;
    if (method === 'GET') return { body: shown(row, select) };
    if (headers['if-match'] !== '*' && headers['if-match'] !== etagOf(row))
      return { status: 409, body: { error: { code: 'Request_EntityChanged', message: 'changed' } } };
    if (method === 'DELETE') {
      set.rows.splice(index, 1);
      return { status: 204 };
    }
    Object.assign(row, body);
    row.version = version++;
    return { body: shown(row, null) };
  };

  const stub = await startStub(({ method, target, headers, body }) => {
    const parsed = body === '' ? null : JSON.parse(body);
    const answer = target.endsWith('/$batch')
      ? {
          body: {
            responses: (
              parsed.requests as { id: string; method: string; url: string; headers: Row; body?: Row }[]
            ).map(({ id, method: one, url, headers: own, body: inner }) => {
              const { status = 200, body: answered } = answerOne(
                one,
                target.replace('$batch', url),
                own,
                inner ?? null,
              );
              return { id, status, headers: {}, body: answered };
            }),
          },
        }
      : answerOne(method, target, headers, parsed);
    const at = lost.indexOf(method);
    if (at === -1) return answer;
    lost.splice(at, 1);
    return { isCut: true };
  });

  return {
    ...stub,
    calls: () =>
      stub.requests.slice(from).map(({ method, target, body }) => {
        const parts = target.endsWith('/$batch')
          ? ` [${(JSON.parse(body).requests as { method: string; url: string }[]).map((part) => `${part.method} ${decodeURIComponent(part.url)}`).join('; ')}]`
          : '';
        return `${method} ${decodeURIComponent(target)}${parts}`;
      }),
    loseNext: (method) => lost.push(method),
    fail: (part, status, method) => failing.push({ part, status, method }),
    remove(name, ids) {
      const rows = sets[name]?.rows ?? [];
      for (const id of ids) rows.splice(0, Infinity, ...rows.filter((row) => row.id !== id));
    },
    forget() {
      from = stub.requests.length;
    },
  };
}

/** The values of a key predicate, by column. */
function readKeys(predicate: string, key: readonly string[]): Row {
  const literals = splitOutside(predicate, ',');
  return Object.fromEntries(
    literals.map((literal) => {
      const [, column, value = ''] = /^(?:(\w+)=)?(.*)$/s.exec(literal) ?? [];
      return [column ?? key[0] ?? '', readLiteral(value)];
    }),
  );
}

const readLiteral = (text: string): unknown => {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
};

/** Equalities, joined by `and`, those by `or`, with one level of parentheses. */
function holds(filter: string, row: Row): boolean {
  return splitOutside(filter, ' or ').some((term) => {
    const inner = term.startsWith('(') ? term.slice(1, -1) : term;
    return splitOutside(inner, ' and ').every((condition) => {
      const [, column = '', operator = '', literal = ''] = /^(\w+) (eq|ge|ne) (.*)$/s.exec(condition) ?? [];
      const value = row[column];
      const wanted = readLiteral(literal);
      if (operator === 'ge') return String(value) >= String(wanted);
      return (value === wanted) === (operator === 'eq');
    });
  });
}

function splitOutside(text: string, separator: string): string[] {
  const pieces: string[] = [];
  let isQuoted = false;
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "'") isQuoted = !isQuoted;
    if (!isQuoted && character === '(') depth += 1;
    if (!isQuoted && character === ')') depth -= 1;
    if (isQuoted || depth > 0 || !text.startsWith(separator, at)) continue;
    pieces.push(text.slice(start, at));
    start = at + separator.length;
  }
  return [...pieces, text.slice(start)];
}
