import fc from 'fast-check';
import { csdlModels } from './csdl-models.ts';

export interface BrokenCsdl {
  readonly csdl: string;
  /** What is broken: a key of `breakages`. */
  readonly what: string;
}

interface Breakage {
  /** Returns the document unchanged where it has nothing to break. */
  readonly breaks: (csdl: string, at: number) => string;
  /** What the error has to say; the malformed XML of a cut or a stray bracket can be anything. */
  readonly says: RegExp;
}

/** A property or a navigation ends here; what is inserted before it is of the first type. */
const endOfType = '</EntityType>';
const firstName = (csdl: string): string => /<EntityType Name="([^"]*)"/.exec(csdl)?.[1] ?? '';
const firstKey = (csdl: string): string => /<PropertyRef Name="([^"]*)"/.exec(csdl)?.[1] ?? '';
const withNavigation = (csdl: string, navigation: string): string =>
  csdl.replace(endOfType, `\n${navigation}\n${endOfType}`);

/** Ways to break a document, by what is wrong with it then. */
export const breakages: Readonly<Record<string, Breakage>> = {
  'it is cut off': { breaks: (csdl, at) => csdl.slice(0, at % csdl.length), says: /./ },
  'it has a stray bracket': {
    breaks: (csdl, at) => `${csdl.slice(0, at % csdl.length)}<${csdl.slice(at % csdl.length)}`,
    says: /./,
  },
  'a tag is not closed': { breaks: (csdl) => csdl.replace(endOfType, ''), says: /close tag/ },
  'an element is not finished': {
    breaks: (csdl) => csdl.replace('<edmx:DataServices>', '<edmx:DataServices '),
    says: /./,
  },
  'it has a document type': {
    breaks: (csdl) => csdl.replace('?>', '?><!DOCTYPE a [<!ENTITY a "b">]>'),
    says: /document type/,
  },
  'an entity is not defined': {
    breaks: (csdl) => csdl.replace(/<Schema Namespace="[^"]*"/, '<Schema Namespace="&missing;"'),
    says: /entity/,
  },
  'the schema has no namespace': {
    breaks: (csdl) => csdl.replace(/<Schema Namespace="[^"]*"/, '<Schema'),
    says: /<Schema> has no `Namespace`/,
  },
  'the schema is of no version': {
    breaks: (csdl) => csdl.replace('/ns/edm"', '/ns/other"'),
    says: /no version of OData/,
  },
  'there is no container': {
    breaks: (csdl) => csdl.replace(/<EntityContainer[\s\S]*<\/EntityContainer>/, ''),
    says: /no <EntityContainer>/,
  },
  'a column is of no type': {
    breaks: (csdl) => csdl.replace(/Type="Edm\.\w+"/, 'Type="Edm.Nothing"'),
    says: /Edm\.Nothing, which is not defined/,
  },
  'a column is of a type of the document that is not there': {
    breaks: (csdl) => csdl.replace(/Type="Edm\.\w+"/, 'Type="Self.Nothing"'),
    says: /Nothing, which is not defined/,
  },
  'a column is of an entity type': {
    breaks: (csdl) => csdl.replace(/(<Property [^>]*)Type="Edm\.\w+"/, `$1Type="Self.${firstName(csdl)}"`),
    says: /only navigations are/,
  },
  'a column has no name': {
    breaks: (csdl) => csdl.replace(/<Property Name="[^"]*"/, '<Property'),
    says: /<Property> has no `Name`/,
  },
  'a column has a name that OData does not allow': {
    breaks: (csdl) => csdl.replace(/<Property Name="[^"]*"/, '<Property Name="a b"'),
    says: /not a name that OData allows/,
  },
  'a column is there twice': {
    breaks: (csdl) => csdl.replace(/(<Property [^>]*Nullable="false"\/>)/, '$1$1'),
    says: /the property of \S+ \S+ is defined twice/,
  },
  'a column is neither nullable nor not': {
    breaks: (csdl) => csdl.replace('Nullable="false"', 'Nullable="perhaps"'),
    says: /neither true nor false/,
  },
  'a type has no key': {
    breaks: (csdl) => csdl.replace(/<Key>.*?<\/Key>/, ''),
    says: /has no key/,
  },
  'a type has two keys': {
    breaks: (csdl) => csdl.replace(/(<Key>.*?<\/Key>)/, '$1$1'),
    says: /has two keys/,
  },
  'a key names no column': {
    breaks: (csdl) => csdl.replace(/<PropertyRef Name="[^"]*"/, '<PropertyRef Name="gone"'),
    says: /the key of \S+ names gone, which is no property/,
  },
  'a key names a column twice': {
    breaks: (csdl) => csdl.replace(/(<PropertyRef Name="[^"]*"\/>)/, '$1$1'),
    says: /the key column of \S+ \S+ is defined twice/,
  },
  'a type is there twice': {
    breaks: (csdl) => csdl.replace(/(<EntityType [\s\S]*?<\/EntityType>)/, '$1\n$1'),
    says: /the type \S+ is defined twice/,
  },
  'an enum has the name of a type': {
    breaks: (csdl) =>
      csdl.replace('<EnumType ', `<EnumType Name="${firstName(csdl)}"></EnumType>\n<EnumType `),
    says: /the type \S+ is defined twice/,
  },
  'a base type is not there': {
    breaks: (csdl) =>
      csdl.replace(/<EntityType (Name="[^"]*")(?: BaseType="[^"]*")?/, '<EntityType $1 BaseType="Self.Gone"'),
    says: /the base type \S+\.Gone of \S+ is not defined/,
  },
  'a base type is of another kind': {
    breaks: (csdl) =>
      csdl.replace(
        /<EntityType (Name="[^"]*")(?: BaseType="[^"]*")?/,
        '<EntityType $1 BaseType="Self.enum0"',
      ),
    says: /the base type \S+\.enum0 of \S+ is not defined as a type of its kind/,
  },
  'a type is its own base': {
    breaks: (csdl) =>
      csdl.replace(
        /<EntityType Name="([^"]*)"(?: BaseType="[^"]*")?/,
        '<EntityType Name="$1" BaseType="Self.$1"',
      ),
    says: /derived from itself/,
  },
  'a member of an enum is there twice': {
    breaks: (csdl) => csdl.replace(/(<Member Name="[^"]*"\/>)/, '$1$1'),
    says: /the member of \S+ \S+ is defined twice/,
  },
  'a navigation leads to no type': {
    breaks: (csdl) => withNavigation(csdl, '<NavigationProperty Name="toNowhere" Type="Self.Gone"/>'),
    says: /\.toNowhere is of the type \S+\.Gone, which is not defined/,
  },
  'a navigation leads to a type without records': {
    breaks: (csdl) =>
      withNavigation(csdl, '<NavigationProperty Name="toNowhere" Type="Collection(Self.complex0)"/>'),
    says: /\.toNowhere leads to \S+\.complex0, which is no entity type/,
  },
  'a navigation has the name of a column': {
    breaks: (csdl) =>
      withNavigation(csdl, `<NavigationProperty Name="${firstKey(csdl)}" Type="Self.${firstName(csdl)}"/>`),
    says: /the property of \S+ \S+ is defined twice/,
  },
  'a constraint names no column': {
    breaks: (csdl) =>
      withNavigation(
        csdl,
        `<NavigationProperty Name="toNowhere" Type="Self.${firstName(csdl)}"><ReferentialConstraint Property="gone" ReferencedProperty="${firstKey(csdl)}"/></NavigationProperty>`,
      ),
    says: /the constraint of \S+\.toNowhere names gone, which is no property/,
  },
  'a constraint refers to no column': {
    breaks: (csdl) =>
      withNavigation(
        csdl,
        `<NavigationProperty Name="toNowhere" Type="Self.${firstName(csdl)}"><ReferentialConstraint Property="${firstKey(csdl)}" ReferencedProperty="gone"/></NavigationProperty>`,
      ),
    says: /the constraint of \S+\.toNowhere refers to gone, which is no property/,
  },
  'an entity set is there twice': {
    breaks: (csdl) => csdl.replace(/(<EntitySet .*?<\/EntitySet>)/, '$1$1'),
    says: /the entity set \S+ is defined twice/,
  },
  'an entity set is of no type': {
    breaks: (csdl) => csdl.replace(/EntityType="[^"]*"/, 'EntityType="Gone.Type"'),
    says: /is of Gone\.Type, which is no entity type/,
  },
  'an entity set is of an enum': {
    breaks: (csdl) => csdl.replace(/EntityType="[^"]*"/, 'EntityType="Self.enum0"'),
    says: /enum0, which is no entity type/,
  },
  'an entity set leads to none': {
    breaks: (csdl) =>
      csdl.replace('</EntitySet>', '<NavigationPropertyBinding Path="any" Target="Gone"/></EntitySet>'),
    says: /binds a navigation to Gone, which is no entity set/,
  },
};

/** Models that are broken in one way; none that is broken in such a way that it is valid again. */
export const brokenCsdl: fc.Arbitrary<BrokenCsdl> = fc
  .tuple(csdlModels, fc.constantFrom(...Object.keys(breakages)), fc.nat(1_000_000))
  .map(([{ csdl }, what, at]) => ({ csdl: breakages[what]?.breaks(csdl, at) ?? csdl, what, whole: csdl }))
  .filter(({ csdl, whole }) => csdl.trim() !== whole.trim())
  .map(({ csdl, what }) => ({ csdl, what }));
