import { getNamedType, isEnumType, isInputObjectType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { type DocumentField, document, fieldsOf, tableOf } from './document.ts';

const schema = createSchema();

function graphFieldOf(typeName: string, field: string) {
  const type = schema.getType(typeName);
  return isObjectType(type) || isInputObjectType(type) ? type.getFields()[field] : undefined;
}

const countOf = (fields: readonly DocumentField[]): number =>
  fields.reduce((count, field) => count + 1 + countOf(field.fields), 0);

/** The paths of the document's fields that the graph's type does not have. */
function missing(typeName: string, fields: readonly DocumentField[], path = typeName): string[] {
  return fields.flatMap(({ name, fields: below }) => {
    const graphField = graphFieldOf(typeName, name);
    if (!graphField) return [`${path}.${name}`];
    return missing(getNamedType(graphField.type).name, below, `${path}.${name}`);
  });
}

// How the document writes a type, where that leaves no choice in the graph.
const scalarOf: Readonly<Record<string, string>> = {
  boolean: 'Boolean',
  date: 'Date',
  'date-time': 'DateTime',
  'string (date-time)': 'DateTime',
  'string (GUID)': 'UUID',
  'number (double)': 'Decimal',
  'integer (int32)': 'Int',
  'integer (int64)': 'SafeInt',
  int32: 'Int',
};

/** The paths of fields whose graph type is another than the document's, with both. */
function mistyped(typeName: string, fields: readonly DocumentField[]): string[] {
  return fields.flatMap(({ name, type, fields: below }) => {
    const graphType = getNamedType(graphFieldOf(typeName, name)?.type)?.name ?? '';
    const expected = scalarOf[type] ?? /^(?:enum )?(\w+Values)$/.exec(type)?.[1] ?? graphType;
    const own = expected === graphType ? [] : [`${typeName}.${name} is ${graphType}, not ${expected}`];
    return [...own, ...mistyped(graphType, below)];
  });
}

const renamed = (fields: DocumentField[], from: string, to: string) =>
  fields.map((field) => (field.name === from ? { ...field, name: to } : field));

const event = fieldsOf(tableOf('Top-level fields:')).filter(({ name }) => name !== 'properties');
const status = renamed(fieldsOf(tableOf('B. OperationStatusResult')), 'id', 'operationId');

describe('every field of the document is in the graph under its name', () => {
  test.each([
    ['A1', 'Customer', fieldsOf(tableOf('A1. customers')), 24],
    ['A2', 'Item', fieldsOf(tableOf('A2. items')), 17],
    ['A3', 'Item', fieldsOfV1(), 22],
    ['A4', 'SalesOrder', fieldsOf(tableOf('A4. salesOrders')), 36],
    ['A4, lines', 'SalesOrderLine', fieldsOf(tableOf('A line object holds:')), 5],
    ['A5', 'Employee', fieldsOf(tableOf('A5. employees')), 23],
    ['B', 'InstanceOperation', status, 8],
    ['B, nested', 'OperationStep', status, 8],
    ['B, StopRequest', 'StopApplicationInstanceInput', fieldsOf(tableOf('StopRequest body:')), 1],
    ['B, ErrorDetail', 'ErrorDetail', fieldsOf(tableOf('ErrorResponse (B)')), 7],
    ['C, top level', 'HealthEvent', event, 4],
    ['C, properties', 'HealthEvent', fieldsOf(tableOf('Fields of `properties`:')), 47],
    ['C, impact', 'HealthEventImpact', fieldsOf(tableOf('Impact item:')), 3],
    ['C, regions', 'HealthEventRegion', fieldsOf(tableOf('Region object:')), 9],
    ['C, links', 'HealthEventLink', fieldsOf(tableOf('Link item:')), 7],
  ])('%s: %s', (_area, typeName, fields, count) => {
    expect(countOf(fields)).toBe(count);
    expect(missing(typeName, fields)).toEqual([]);
    expect(mistyped(typeName, fields)).toEqual([]);
  });
});

/** A3 is a list, not a table: what v1.0 carries as objects, and the fields it shares. */
function fieldsOfV1(): DocumentField[] {
  const section = document.slice(document.indexOf('### A3.'), document.indexOf('### A4.'));
  const objects = [...section.matchAll(/It carries `(\w+)`, an object with (.*)\.$/gm)].map(
    ([, name, list]) => ({
      name: name as string,
      type: 'object',
      fields: namesIn(list as string),
    }),
  );
  const shared = /All other fields are as in v2\.0: (.*)\.$/m.exec(section)?.[1] ?? '';
  return [...objects, ...namesIn(shared)];
}

const namesIn = (list: string): DocumentField[] =>
  list
    .replace(/ \(\w+\)/g, '')
    .split(/, | and /)
    .map((name) => ({ name, type: '', fields: [] }));

describe('every value of an enumeration of the document is in the graph', () => {
  const enumerations = tableOf('Enumerations:').rows.map(([name = '', values = '']) => ({
    name: name === 'eventTags values' ? 'EventTag' : name,
    values: values.split(', '),
  }));

  const screaming = (word: string) =>
    word
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
      .replace(/\W+/g, '_')
      .toUpperCase();

  test.each(enumerations.map(({ name, values }) => [name, values] as const))('%s: %j', (name, values) => {
    const type = schema.getType(name);
    const members = isEnumType(type) ? type.getValues().map((value) => value.name) : [];

    expect(members).toEqual([...values.map(screaming), 'UNRECOGNIZED']);
  });
});
