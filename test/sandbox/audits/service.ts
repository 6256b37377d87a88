import type { Audit } from './audit.ts';
import { hold, needed, readRule } from './audit.ts';
import { quoted } from './filters.ts';
import { first } from './shapes.ts';
import type { Options, Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

/** Fields of the documented sets that hold one of a few words. */
const options: Readonly<Record<string, string>> = {
  customers: 'type blocked',
  items: 'type',
  salesOrders: 'status',
  employees: 'status',
};

async function holdAnswer(upstream: Upstream, set: string, given: Options, status: number, code?: string) {
  const reply = await upstream.send('GET', upstream.path(set, given));
  const isIt = reply.status === status && (code === undefined || reply.body?.error?.code === code);
  hold(isIt, `${answerOf(reply)} for ${set}?${Object.entries(given).map((pair) => pair.join('='))}`);
}

/** What the real service does and the document does not tell. */
export const service: readonly Audit[] = [
  readRule(
    'A.or.1',
    '"or" over different fields is 501 BadRequest_MethodNotImplemented',
    { dialects: ['dynamics'] },
    async (upstream) => {
      const $filter = "number eq 'A' or displayName eq 'B'";
      await holdAnswer(upstream, 'customers', { $filter }, 501, 'BadRequest_MethodNotImplemented');
    },
  ),
  readRule(
    'A.in.1',
    '"in" is 501 BadRequest_MethodNotImplemented',
    { dialects: ['dynamics'] },
    async (upstream) => {
      const [one] = await upstream.sample('customers');
      const $filter = `number in (${quoted(needed(one, 'record in customers').number)})`;
      await holdAnswer(upstream, 'customers', { $filter }, 501, 'BadRequest_MethodNotImplemented');
    },
  ),
  readRule(
    'A.computed.1',
    'A field that is calculated for each record cannot be filtered by',
    { dialects: ['dynamics'] },
    (upstream) => holdAnswer(upstream, 'items', { $filter: 'inventory gt 0', $top: 1 }, 400),
  ),
  readRule(
    'A.lines.1',
    'The lines of orders cannot be listed without naming an order',
    { dialects: ['dynamics'] },
    (upstream) => holdAnswer(upstream, 'salesOrderLines', {}, 400),
  ),
  readRule(
    'A.option.1',
    'Words of options come as names: _x0020_ is a blank, _x002D_ a hyphen',
    { dialects: ['dynamics'] },
    async (upstream) => {
      const all: string[] = [];
      for (const [set, names] of Object.entries(options)) {
        for (const name of names.split(' ')) {
          const words = (await upstream.sample(set)).map((row) => row[name]);
          const wrong = words.find((word) => !/^\w+$/.test(word));
          hold(wrong === undefined, `'${name}' of ${set} is ${JSON.stringify(wrong)}`);
          all.push(...words);
        }
      }
      needed(all[0], 'record in any set');
    },
  ),
  readRule(
    'A.ignore.1',
    'Options of the query that the service does not know are ignored',
    { dialects: ['dynamics', 'document'] },
    async (upstream) => {
      const { id } = await first(upstream, 'customers');
      const asked: Options = { $search: 'zqxzqx', $unheard: 'y', $top: 1, $select: 'id' };
      const [found] = await upstream.list('customers', asked);
      hold(found?.id === id, `with $search and $unheard the first record is ${found?.id} instead of ${id}`);
    },
  ),
];
