import type { Annotations, AnnotationValue } from './model.ts';
import { attribute, childrenOf, type NameReader } from './names.ts';
import type { XmlElement } from './xml.ts';

export const terms = {
  description: 'Org.OData.Core.V1.Description',
  longDescription: 'Org.OData.Core.V1.LongDescription',
  languageDependent: 'Org.OData.Core.V1.IsLanguageDependent',
  label: 'com.sap.vocabularies.Common.v1.Label',
  insert: 'Org.OData.Capabilities.V1.InsertRestrictions',
  update: 'Org.OData.Capabilities.V1.UpdateRestrictions',
  remove: 'Org.OData.Capabilities.V1.DeleteRestrictions',
  filter: 'Org.OData.Capabilities.V1.FilterRestrictions',
  sort: 'Org.OData.Capabilities.V1.SortRestrictions',
  currency: 'Org.OData.Measures.V1.ISOCurrency',
  unit: 'Org.OData.Measures.V1.Unit',
} as const;

/** The constant expressions that terms here have (CSDL 4.01, 14.3), as attributes and as elements. */
const constants = new Map<string, (text: string) => AnnotationValue>(
  Object.entries({
    String: (text: string) => text,
    Bool: (text: string) => text.trim() === 'true' || text.trim() === '1',
    PropertyPath: (text: string) => text.trim(),
    NavigationPropertyPath: (text: string) => text.trim(),
  }),
);

/** The annotations among the children of an element. Those with a qualifier are meant for one kind of client, and left out. */
export function readAnnotations(element: XmlElement, names: NameReader): Annotations {
  const annotations = new Map<string, AnnotationValue>();
  for (const child of childrenOf(element, 'Annotation'))
    if (!child.attributes.has('Qualifier'))
      annotations.set(names.qualify(attribute(child, 'Term')), readValue(child));
  return annotations;
}

/** What a term says of an element, and what `<Annotations Target>` elsewhere adds to it. */
export function readTargetedAnnotations(
  schema: XmlElement,
  names: NameReader,
): ReadonlyMap<string, Annotations> {
  const targets = new Map<string, Map<string, AnnotationValue>>();
  for (const group of childrenOf(schema, 'Annotations')) {
    if (group.attributes.has('Qualifier')) continue;
    const [head = '', ...path] = attribute(group, 'Target').split('/');
    const target = [names.qualify(head), ...path].join('/');
    const annotations = targets.get(target) ?? new Map<string, AnnotationValue>();
    for (const [term, value] of readAnnotations(group, names)) annotations.set(term, value);
    targets.set(target, annotations);
  }
  return targets;
}

/** A term without a value has its default, which is true for those that matter here. */
function readValue(element: XmlElement): AnnotationValue {
  for (const [name, read] of constants) {
    const text = element.attributes.get(name);
    if (text !== undefined) return read(text);
  }
  const [child] = element.children.filter(({ name }) => name !== 'Annotation');
  return child === undefined ? true : expressionOf(child);
}

function expressionOf(element: XmlElement): AnnotationValue {
  const read = constants.get(element.name);
  if (read) return read(element.text);
  if (element.name === 'Collection') return element.children.map(expressionOf);
  if (element.name === 'Record')
    return Object.fromEntries(
      childrenOf(element, 'PropertyValue').map((property) => [
        attribute(property, 'Property'),
        readValue(property),
      ]),
    );
  // Other expressions are computed by the service for each record, or mean nothing here.
  return null;
}

const isRecord = (
  value: AnnotationValue | undefined,
): value is { readonly [name: string]: AnnotationValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A property of a term whose value is a record; undefined where either is missing. */
export function restriction(
  annotations: Annotations,
  term: string,
  property: string,
): AnnotationValue | undefined {
  const value = annotations.get(term);
  return isRecord(value) ? value[property] : undefined;
}

/** The names in a property of a term, such as `NonSortableProperties`. */
export function restrictedNames(
  annotations: Annotations,
  term: string,
  property: string,
): ReadonlySet<string> {
  const value = restriction(annotations, term, property);
  return new Set(Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);
}
