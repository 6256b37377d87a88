import {
  type ConstDirectiveNode,
  type EnumTypeDefinitionNode,
  type EnumValueDefinitionNode,
  type FieldDefinitionNode,
  type InputObjectTypeDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type NamedTypeNode,
  type NameNode,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parseConstValue,
  parseType,
  type StringValueNode,
} from 'graphql';

const nameNode = (value: string): NameNode => ({ kind: Kind.NAME, value });
const textNode = (value: string): StringValueNode => ({ kind: Kind.STRING, value });
const described = (text: string | null) => (text === null ? {} : { description: textNode(text) });

export const namedType = (name: string): NamedTypeNode => ({ kind: Kind.NAMED_TYPE, name: nameNode(name) });

/** A field of an object. `type` is SDL, such as `[Customer!]!`. */
export const field = (
  description: string | null,
  name: string,
  type: string,
  args: readonly InputValueDefinitionNode[] = [],
): FieldDefinitionNode => ({
  kind: Kind.FIELD_DEFINITION,
  ...described(description),
  name: nameNode(name),
  arguments: args,
  type: parseType(type, { noLocation: true }),
});

/** An argument, or a field of an input. Type and default value are SDL. */
export const input = (
  description: string | null,
  name: string,
  type: string,
  defaultValue?: string,
): InputValueDefinitionNode => ({
  kind: Kind.INPUT_VALUE_DEFINITION,
  ...described(description),
  name: nameNode(name),
  type: parseType(type, { noLocation: true }),
  ...(defaultValue !== undefined && { defaultValue: parseConstValue(defaultValue, { noLocation: true }) }),
});

/** A directive with one string argument. */
export const directive = (name: string, argument: string, value: string): ConstDirectiveNode => ({
  kind: Kind.DIRECTIVE,
  name: nameNode(name),
  arguments: [{ kind: Kind.ARGUMENT, name: nameNode(argument), value: textNode(value) }],
});

export const oneOf: ConstDirectiveNode = { kind: Kind.DIRECTIVE, name: nameNode('oneOf') };

export const objectType = (
  description: string,
  name: string,
  fields: readonly FieldDefinitionNode[],
  directives: readonly ConstDirectiveNode[] = [],
  interfaces: readonly NamedTypeNode[] = [],
): ObjectTypeDefinitionNode => ({
  kind: Kind.OBJECT_TYPE_DEFINITION,
  ...described(description),
  name: nameNode(name),
  interfaces,
  directives,
  fields,
});

export const extendType = (
  name: string,
  fields: readonly FieldDefinitionNode[],
): ObjectTypeExtensionNode => ({ kind: Kind.OBJECT_TYPE_EXTENSION, name: nameNode(name), fields });

export const inputType = (
  description: string,
  name: string,
  fields: readonly InputValueDefinitionNode[],
  directives: readonly ConstDirectiveNode[] = [],
): InputObjectTypeDefinitionNode => ({
  kind: Kind.INPUT_OBJECT_TYPE_DEFINITION,
  ...described(description),
  name: nameNode(name),
  directives,
  fields,
});

export const enumType = (
  description: string,
  name: string,
  values: readonly (readonly [name: string, description: string | null])[],
): EnumTypeDefinitionNode => ({
  kind: Kind.ENUM_TYPE_DEFINITION,
  ...described(description),
  name: nameNode(name),
  values: values.map(
    ([value, text]): EnumValueDefinitionNode => ({
      kind: Kind.ENUM_VALUE_DEFINITION,
      ...described(text),
      name: nameNode(value),
    }),
  ),
});

/** The arguments of a list. */
export const listArguments = (filter: string, order: string): readonly InputValueDefinitionNode[] => [
  input('How many to return, 1 to 1000.', 'first', 'Int', '50'),
  input('The cursor to continue after, from a page of the same filter and order.', 'after', 'String'),
  input('Which rows to return; all when omitted.', 'filter', filter),
  input("The most significant first; the upstream's order when omitted.", 'orderBy', `[${order}!]`),
];

/** A mutation. By default, `doThing` takes a `DoThingInput` and returns a `DoThingPayload`. */
export const mutation = (
  name: string,
  description: string,
  inputDescription: string,
  types: { readonly input?: string; readonly payload?: string } = {},
): ObjectTypeExtensionNode => {
  const stem = name.charAt(0).toUpperCase() + name.slice(1);
  const { input: inputName = `${stem}Input`, payload = `${stem}Payload` } = types;
  const args = [input(inputDescription, 'input', `${inputName}!`)];
  return extendType('Mutation', [field(description, name, payload, args)]);
};
