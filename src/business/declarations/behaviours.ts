import type { Resolvers } from '../../generated/graphql.ts';
import { itemBehaviour, itemResolvers } from '../items/items.ts';
import { lineResolvers } from '../items/sales-documents.ts';
import type { Behaviour } from '../records/record-type.ts';

/** What a declaration cannot express, by type. */
export const behaviours: Readonly<Record<string, Behaviour>> = { Item: itemBehaviour };

const companyResolver = { company: ({ companyId }: { readonly companyId: string }) => ({ id: companyId }) };

/** Handwritten resolvers. They replace derived resolvers of the same name. */
export const ownResolvers: readonly Resolvers[] = [
  itemResolvers,
  lineResolvers,
  { CustomerFinancials: companyResolver, AgedReceivables: companyResolver } as unknown as Resolvers,
];
