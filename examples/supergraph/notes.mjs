// Notes on customers: a subgraph that knows only the key of a customer.
import { readFileSync } from 'node:fs';
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginInlineTraceDisabled } from '@apollo/server/plugin/disabled';
import { startStandaloneServer } from '@apollo/server/standalone';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';

const companyId = '0e0f0986-928f-40d7-8834-d1910255a423';
const notes = [];
const addNote = (companyId, customerId, text) => {
  const note = { id: String(notes.length + 1), text, companyId, customerId };
  notes.unshift(note);
  return note;
};
addNote(companyId, 'd6d7a7e2-b80b-4ff2-a0c6-a3bb5ea92c02', 'Pays late in summer.');
addNote(companyId, 'f0fe1270-45ea-4ada-9e6f-20943627b519', 'Wants invoices on paper.');

function connection(all, { first, after }) {
  const from = after ? all.findIndex(({ id }) => id === after) + 1 : 0;
  const nodes = all.slice(from, from + first);
  return {
    nodes,
    edges: nodes.map((node) => ({ cursor: node.id, node })),
    totalCount: all.length,
    pageInfo: {
      hasNextPage: from + first < all.length,
      hasPreviousPage: from > 0,
      startCursor: nodes[0]?.id,
      endCursor: nodes.at(-1)?.id,
    },
  };
}

const resolvers = {
  Query: { notes: (_root, page) => connection(notes, page) },
  Mutation: {
    addNote: (_root, { input: { companyId, customerId, text } }) =>
      text.trim() === ''
        ? {
            userErrors: [
              { code: 'INVALID_INPUT', message: '`text` must not be empty.', path: ['input', 'text'] },
            ],
          }
        : { note: addNote(companyId, customerId, text), userErrors: [] },
  },
  Note: {
    __resolveReference: ({ id }) => notes.find((note) => note.id === id) ?? null,
    customer: ({ companyId, customerId: id }) => ({ companyId, id }),
  },
  Customer: {
    notes: ({ id }, page) =>
      connection(
        notes.filter(({ customerId }) => customerId === id),
        page,
      ),
    salutation: ({ displayName }) => (displayName ? `To the people of ${displayName}` : null),
  },
};

const typeDefs = parse(readFileSync(new URL('notes.graphql', import.meta.url), 'utf8'));
const server = new ApolloServer({
  schema: buildSubgraphSchema({ typeDefs, resolvers }),
  plugins: [ApolloServerPluginInlineTraceDisabled()],
});
const port = Number(process.env.NOTES_PORT ?? 4201);
const { url } = await startStandaloneServer(server, { listen: { host: '127.0.0.1', port } });
console.log(`Notes are at ${new URL('/graphql', url)}`);
