import type { Resolvers } from '../generated/graphql.ts';
import { itemBehaviour, itemResolvers } from './items/items.ts';
import type { Behaviour } from './record-type.ts';
import { lineResolvers } from './sales-documents.ts';

/** What no declaration says of records, by their types. */
export const behaviours: Readonly<Record<string, Behaviour>> = { Item: itemBehaviour };

const ofCustomer = { company: ({ companyId }: { readonly companyId: string }) => ({ id: companyId }) };

/** Resolvers beside the derived ones, and in place of those with the same name. */
export const ownResolvers: readonly Resolvers[] = [
  itemResolvers,
  lineResolvers,
  { CustomerFinancials: ofCustomer, AgedReceivables: ofCustomer } as unknown as Resolvers,
];
