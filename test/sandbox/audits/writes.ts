import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, writeRule } from './audit.ts';
import { documentedSets, namesOf } from './documented.ts';
import { first, nobody } from './shapes.ts';
import type { Reply, Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

/** A field of each set that nothing else is calculated from, and two values for it. */
const fields: Readonly<Record<string, readonly [string, Json, Json]>> = {
  customers: ['phoneNumber', '+1 555 0100', '+1 555 0199'],
  items: ['gtin', '4006381333931', '4006381333948'],
  employees: ['jobTitle', 'Auditor', 'Inspector'],
};

interface Subject {
  readonly path: string;
  readonly record: Json;
  readonly field: string;
  /** Two values that differ from the current one and from each other as far as two can. */
  readonly values: readonly [Json, Json];
}

function patch(upstream: Upstream, path: string, etag: string | undefined, body: Json): Promise<Reply> {
  return upstream.send('PATCH', path, { body, headers: etag === undefined ? {} : { 'if-match': etag } });
}

/** Runs on a record of each set and puts its field back afterwards. */
async function onRecords(upstream: Upstream, run: (subject: Subject) => Promise<void>): Promise<void> {
  for (const [set, [field, one, other]] of Object.entries(fields)) {
    const path = upstream.path(set, {}, (await first(upstream, set)).id);
    const record = await upstream.read(path);
    const values: [Json, Json] = record[field] === one ? [other, one] : [one, other];
    try {
      await run({ path, record, field, values });
    } finally {
      await patch(upstream, path, '*', { [field]: record[field] });
    }
  }
}

/** Changes of records: PATCH and the entity tag. */
export const writes: readonly Audit[] = [
  writeRule('A.update.1', 'Fields left out of a PATCH keep their values', (upstream) =>
    onRecords(upstream, async ({ path, record, field, values: [value] }) => {
      const set = path.replace(/^.*\/(\w+)\(.*$/, '$1');
      const reply = await patch(upstream, path, record['@odata.etag'], { [field]: value });
      hold(reply.status === 200, `${answerOf(reply)} to the PATCH of ${path}`);
      const kept = namesOf(documentedSets[set] ?? {}).filter((name) => name !== 'lastModifiedDateTime');
      for (const body of [reply.body, await upstream.read(path)]) {
        for (const name of kept) {
          const expected = name === field ? value : record[name];
          hold(body[name] === expected, `'${name}' of ${set} is ${body[name]} instead of ${expected}`);
        }
      }
    }),
  ),
  writeRule(
    'A.update.2',
    'The answer to a PATCH has the new entity tag, and the time of change moves on',
    (upstream) =>
      onRecords(upstream, async ({ path, record, field, values: [value] }) => {
        const { body, status } = await patch(upstream, path, record['@odata.etag'], { [field]: value });
        hold(status === 200 && body['@odata.etag'] !== record['@odata.etag'], 'the entity tag has not moved');
        const read = await upstream.read(path);
        hold(body['@odata.etag'] === read['@odata.etag'], 'the entity tag told is not the one of the record');
        const [before, after] = [record, read].map((one) => Date.parse(one.lastModifiedDateTime));
        hold((after ?? 0) > (before ?? 0), "'lastModifiedDateTime' has not moved");
      }),
  ),
  writeRule('A.update.3', 'A stale If-Match leaves the record unchanged', (upstream) =>
    onRecords(upstream, async ({ path, record, field, values: [value, lost] }) => {
      const stale = record['@odata.etag'];
      const moved = await patch(upstream, path, stale, { [field]: value });
      hold(moved.status === 200, `${answerOf(moved)} to the PATCH that is in time`);
      const reply = await patch(upstream, path, stale, { [field]: lost });
      const expected = upstream.dialect === 'document' ? [409, 412] : [409];
      hold(expected.includes(reply.status), `${answerOf(reply)} to the stale PATCH`);
      const read = await upstream.read(path);
      hold(read[field] === value, `'${field}' is ${read[field]}`);
      hold(read['@odata.etag'] === moved.body['@odata.etag'], 'the entity tag has moved');
    }),
  ),
  writeRule('A.update.11', 'PATCH of an unknown id is 404 and creates nothing', async (upstream) => {
    for (const set of Object.keys(fields)) {
      const path = upstream.path(set, {}, nobody);
      const reply = await upstream.send('PATCH', path, { body: {}, headers: { 'if-match': '*' } });
      hold(reply.status === 404, `${answerOf(reply)} for ${set}`);
      const read = await upstream.send('GET', path);
      hold(read.status === 404, `${answerOf(read)} to the GET in ${set}`);
    }
  }),
];
