import { type CsdlType, type EntityType, keyOf, type Model, navigationsOf, propertiesOf } from './model.ts';
import { requireDistinct } from './names.ts';
import { MetadataError } from './xml.ts';

/** The primitive types of CSDL 4.01, 3.3, and abstract ones. */
const primitives = new Set(
  `Binary Boolean Byte Date DateTimeOffset Decimal Double Duration Guid Int16 Int32 Int64 SByte Single Stream String
   TimeOfDay Geography GeographyPoint GeographyLineString GeographyPolygon GeographyMultiPoint GeographyMultiLineString
   GeographyMultiPolygon GeographyCollection Geometry GeometryPoint GeometryLineString GeometryPolygon GeometryMultiPoint
   GeometryMultiLineString GeometryMultiPolygon GeometryCollection ComplexType EntityType PrimitiveType Untyped`
    .split(/\s+/)
    .map((name) => `Edm.${name}`),
);

/** Throws at the first name that refers to nothing, and at a type that is its own base. */
export function checkModel(model: Model, types: readonly CsdlType[]): void {
  requireDistinct(
    types.map(({ fullName, line }) => ({ name: fullName, line })),
    'the type',
  );
  for (const type of types) checkType(model, type);
  // After the base types, which the following looks through.
  for (const type of types) if (type.kind === 'entity') checkColumns(model, type);
  for (const { name, type, line, isSingleton, bindings } of model.entitySets.values()) {
    const entity = model.types.get(type);
    if (entity?.kind !== 'entity')
      throw new MetadataError(line, `the entity set ${name} is of ${type}, which is no entity type.`);
    if (!isSingleton && keyOf(model, entity).length === 0)
      throw new MetadataError(entity.line, `the entity type ${entity.name} of ${name} has no key.`);
    for (const target of bindings.values())
      if (!model.entitySets.has(target))
        throw new MetadataError(line, `${name} binds a navigation to ${target}, which is no entity set.`);
  }
}

function checkType(model: Model, type: CsdlType): void {
  const requireType = (name: string, line: number, user: string): void => {
    if (primitives.has(name) || model.types.has(name)) return;
    const namespace = name.slice(0, Math.max(name.lastIndexOf('.'), 0));
    if (model.foreignNamespaces.has(namespace)) return;
    throw new MetadataError(line, `${user} is of the type ${name}, which is not defined.`);
  };
  if (type.kind === 'definition') {
    requireType(type.underlyingType, type.line, type.name);
    requirePrimitive(model, type.underlyingType, type.line, type.name);
  }
  if (type.kind === 'enum' || type.kind === 'definition') return;
  requireBase(model, type);
  for (const property of type.properties) {
    requireType(property.type, property.line, `${type.name}.${property.name}`);
    if (model.types.get(property.type)?.kind === 'entity')
      throw new MetadataError(
        property.line,
        `${type.name}.${property.name} is of the entity type ${property.type}: only navigations are.`,
      );
  }
  for (const navigation of type.navigations) {
    requireType(navigation.type, navigation.line, `${type.name}.${navigation.name}`);
    const target = model.types.get(navigation.type);
    if ((target && target.kind !== 'entity') || primitives.has(navigation.type))
      throw new MetadataError(
        navigation.line,
        `${type.name}.${navigation.name} leads to ${navigation.type}, which is no entity type.`,
      );
  }
}

function requirePrimitive(model: Model, name: string, line: number, user: string): void {
  if (model.types.get(name) === undefined) return;
  throw new MetadataError(line, `${user} defines a name for ${name}, which is no primitive type.`);
}

function requireBase(model: Model, type: Exclude<CsdlType, { kind: 'enum' | 'definition' }>): void {
  const seen = new Set([type.fullName]);
  let current: CsdlType | undefined = type;
  while (current && (current.kind === 'entity' || current.kind === 'complex') && current.baseType !== null) {
    const { baseType, name, line }: { baseType: string; name: string; line: number } = {
      baseType: current.baseType,
      name: current.name,
      line: current.line,
    };
    if (seen.has(baseType)) throw new MetadataError(line, `${name} is derived from itself, by ${baseType}.`);
    seen.add(baseType);
    const base = model.types.get(baseType);
    if (base === undefined || base.kind !== type.kind)
      throw new MetadataError(
        line,
        `the base type ${baseType} of ${name} is not defined as a type of its kind.`,
      );
    current = base;
  }
}

/** The column that a path leads through. */
const withoutPath = (path: string): string => path.replace(/\/.*$/, '');

function checkColumns(model: Model, type: EntityType): void {
  const properties = propertiesOf(model, type);
  const names = new Set(properties.map(({ name }) => name));
  requireDistinct([...properties, ...navigationsOf(model, type)], `the property of ${type.name}`);
  // A path into a complex type, or a column (CSDL 4.01, 6.5).
  for (const column of type.key)
    if (!names.has(withoutPath(column)))
      throw new MetadataError(
        type.line,
        `the key of ${type.name} names ${column}, which is no property of it.`,
      );
  requireDistinct(
    keyOf(model, type).map((name) => ({ name, line: type.line })),
    `the key column of ${type.name}`,
  );
  for (const { name, line, type: target, constraints } of type.navigations) {
    const other = model.types.get(target);
    const referable =
      other?.kind === 'entity' ? new Set(propertiesOf(model, other).map((each) => each.name)) : null;
    for (const { property, referenced } of constraints) {
      if (!names.has(withoutPath(property)))
        throw new MetadataError(
          line,
          `the constraint of ${type.name}.${name} names ${property}, which is no property of ${type.name}.`,
        );
      if (referable && !referable.has(withoutPath(referenced)))
        throw new MetadataError(
          line,
          `the constraint of ${type.name}.${name} refers to ${referenced}, which is no property of ${other?.name}.`,
        );
    }
  }
}
