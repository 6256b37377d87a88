import { readAnnotations } from './annotations.ts';
import { associatedSets } from './associations.ts';
import type { BoundAction, EntitySet } from './model.ts';
import { attribute, childrenOf, nameOf, requireDistinct } from './names.ts';
import type { SchemaContext } from './types.ts';
import type { XmlElement } from './xml.ts';

export function readEntitySets(container: XmlElement, context: SchemaContext): readonly EntitySet[] {
  const name = nameOf(container);
  const sets = container.children
    .filter((child) => child.name === 'EntitySet' || child.name === 'Singleton')
    .map((element) => readEntitySet(element, context, `${context.namespace}.${name}`));
  requireDistinct(sets, 'the entity set');
  return sets;
}

function readEntitySet(element: XmlElement, context: SchemaContext, container: string): EntitySet {
  const name = nameOf(element);
  const isSingleton = element.name === 'Singleton';
  return {
    name,
    line: element.line,
    isSingleton,
    type: context.qualify(attribute(element, isSingleton ? 'Type' : 'EntityType')),
    annotations: new Map([
      ...readAnnotations(element, context),
      ...context.annotationsOf(`${container}/${name}`),
    ]),
    bindings: new Map(
      childrenOf(element, 'NavigationPropertyBinding').map((binding) => [
        attribute(binding, 'Path'),
        attribute(binding, 'Target').replace(/^.*\//, ''),
      ]),
    ),
  };
}

/** In versions 2 and 3, association sets say what navigations lead to. */
export function addAssociatedBindings(
  sets: readonly EntitySet[],
  container: XmlElement,
  schemas: readonly XmlElement[],
  context: SchemaContext,
): readonly EntitySet[] {
  const associated = associatedSets(container, context);
  if (associated.size === 0) return sets;
  const navigations = new Map(
    schemas.flatMap((schema) =>
      childrenOf(schema, 'EntityType').map((type) => [
        nameOf(type),
        childrenOf(type, 'NavigationProperty').filter((each) => each.attributes.has('Relationship')),
      ]),
    ),
  );
  return sets.map((set) => ({
    ...set,
    bindings: new Map([
      ...set.bindings,
      ...(navigations.get(set.type.replace(/^.*\./, '')) ?? []).flatMap((navigation) => {
        const target = associated.get(
          `${context.qualify(attribute(navigation, 'Relationship'))} ${attribute(navigation, 'ToRole')}`,
        );
        return target === undefined ? [] : [[nameOf(navigation), target] as const];
      }),
    ]),
  }));
}

/** Actions of one record, such as `Microsoft.NAV.post`. */
export function readBoundActions(schema: XmlElement, context: SchemaContext): readonly BoundAction[] {
  return childrenOf(schema, 'Action')
    .filter((action) => action.attributes.get('IsBound') === 'true')
    .flatMap((action) => {
      const [parameter] = childrenOf(action, 'Parameter');
      if (!parameter) return [];
      return [
        {
          name: nameOf(action),
          entityType: context.qualify(attribute(parameter, 'Type')),
          line: action.line,
        },
      ];
    });
}
