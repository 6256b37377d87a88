import type { RecordTypeDescriptor } from '../../../src/business/record-type.ts';
import { addSources } from '../../../src/business/sources/record-sources.ts';
import { type ODataStub, startODataStub } from '../upstreams/odata-stub.ts';

export const extensionRoute = 'contoso/app/v1.0';

const ownThings = {
  type: 'Thing',
  names: { one: 'thing', many: 'things', byNumber: 'thingByNumber' },
  entitySet: 'things',
  route: 'v2.0',
  fields: { id: 'uuid', number: 'code', name: 'text', price: 'decimal' },
  list: { one: 'a thing', many: 'things' },
  writes: ['create', 'update', 'delete'],
} as const satisfies RecordTypeDescriptor;

/** Things whose hazard and shelf life are in a set of another API. */
export const things: RecordTypeDescriptor = addSources<RecordTypeDescriptor>(ownThings, {
  sources: {
    extension: {
      route: extensionRoute,
      entitySet: 'thingExtensions',
      fields: { hazard: 'code', shelfLife: 'int', grade: { names: { A: 'HIGH', B: 'LOW' } } },
    },
  },
  list: { conditions: { grade: 'how good it is' } },
});

const values = 'number: String name: String price: Decimal hazard: String shelfLife: Int grade: ThingGrade';

export const thingsSdl = `
  extend type Company {
    thing(id: UUID!): Thing
    thingByNumber(number: String!): Thing
    things(first: Int = 50 after: String filter: ThingFilter orderBy: [ThingSort!]): ThingConnection
  }
  enum ThingGrade { HIGH LOW UNRECOGNIZED }
  type Thing @key(fields: "companyId id") {
    companyId: UUID! company: Company id: UUID! etag: String number: String name: String price: Decimal
  }
  extend type Thing { hazard: String shelfLife: Int grade: ThingGrade gradeRaw: String }
  extend type Mutation {
    createThing(input: CreateThingInput!): CreateThingPayload
    updateThing(input: UpdateThingInput!): UpdateThingPayload
    deleteThing(input: DeleteThingInput!): DeleteThingPayload
  }
  input CreateThingInput { companyId: UUID id: UUID ${values} }
  input ThingPatch { ${values} }
  input UpdateThingInput { companyId: UUID id: UUID! ifMatch: String! patch: ThingPatch! }
  input DeleteThingInput { companyId: UUID id: UUID! ifMatch: String! }
  type CreateThingPayload { thing: Thing userErrors: [UserError!]! }
  type UpdateThingPayload { thing: Thing userErrors: [UserError!]! }
  type DeleteThingPayload { thing: Thing deletedId: UUID deletedNodeId: ID userErrors: [UserError!]! }`;

export const idOfThing = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;

/** Nine things; the third has no extension. `isSharedRow`: whether both sets show the same rows of the database. */
export function startThings({ isSharedRow = false } = {}): Promise<ODataStub> {
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  return startODataStub({
    things: {
      route: 'v2.0',
      key: ['id'],
      rows: numbers.map((at) => ({ id: idOfThing(at), number: `T${at}`, name: `Thing ${at}`, price: at })),
    },
    thingExtensions: {
      route: extensionRoute,
      key: ['id'],
      ...(isSharedRow && { sharedWith: 'things' }),
      rows: numbers
        .filter((at) => at !== 3)
        .map((at) => ({
          id: idOfThing(at),
          hazard: `H${at % 2}`,
          shelfLife: 10 - at,
          grade: at % 2 ? 'A' : 'B',
        })),
    },
  });
}
