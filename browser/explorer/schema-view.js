/** The *Schema* pane: types, their fields and descriptions, and a search over all names. */
import { button, element } from '../dom.js';
import {
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
} from './libraries.js';

/**
 * @import { GraphQLArgument, GraphQLEnumValue, GraphQLField, GraphQLInputField, GraphQLNamedType, GraphQLSchema, GraphQLType } from 'graphql'
 */

const maxHits = 60;

/** @param {HTMLElement} place */
export function createSchemaView(place) {
  const field = element('input', {
    type: 'search',
    id: 'schema-search',
    placeholder: 'Search types and fields',
  });
  const content = element('div', { class: 'schema' });
  place.replaceChildren(
    element('label', { for: 'schema-search', class: 'unseen' }, 'Search the schema'),
    field,
    content,
  );
  /** @type {GraphQLSchema | null} */
  let schema = null;
  /** @type {string[]} */
  let visited = [];

  /** @param {string} name @param {string | null} fieldName shown in view */
  function showType(name, fieldName) {
    const type = schema?.getType(name);
    if (!type) return;
    field.value = '';
    if (visited.at(-1) !== name) visited.push(name);
    content.replaceChildren(createPath(), ...describeType(type, /** @type {GraphQLSchema} */ (schema)));
    const shown = [...content.querySelectorAll('dt')].find(({ dataset }) => dataset.field === fieldName);
    for (const each of content.querySelectorAll('dt')) each.toggleAttribute('data-shown', each === shown);
    (shown ?? content).scrollIntoView({ block: 'nearest' });
  }

  function showRoots() {
    visited = [];
    const roots = [schema?.getQueryType(), schema?.getMutationType(), schema?.getSubscriptionType()];
    content.replaceChildren(
      element('h3', {}, 'Operations'),
      element('ul', {}, ...roots.flatMap((type) => (type ? [element('li', {}, link(type.name))] : []))),
      element(
        'p',
        { class: 'facts' },
        'Ctrl-click a field of the query, or search, to see where it is described.',
      ),
    );
  }

  function createPath() {
    const before = visited.slice(-4, -1);
    return element(
      'p',
      { class: 'path' },
      button('Operations', showRoots, { class: 'link' }),
      ...before.flatMap((name) => [' › ', link(name)]),
    );
  }

  /** @param {string} name */
  const link = (name, fieldName = /** @type {string | null} */ (null)) =>
    button(fieldName === null ? name : `${name}.${fieldName}`, () => showType(name, fieldName), {
      class: 'link',
    });

  /** @param {GraphQLType} type */
  function linkType(type) {
    const [before = '', after = ''] = String(type).split(getNamedType(type).name);
    return element('span', { class: 'type' }, before, link(getNamedType(type).name), after);
  }

  /** @param {GraphQLNamedType} type @param {GraphQLSchema} of @returns {Element[]} */
  function describeType(type, of) {
    const members = isUnionType(type) || isInterfaceType(type) ? of.getPossibleTypes(type) : [];
    const interfaces = isObjectType(type) || isInterfaceType(type) ? type.getInterfaces() : [];
    const fields =
      isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
        ? Object.values(type.getFields())
        : [];
    const values = isEnumType(type) ? type.getValues() : [];
    return [
      element('h3', {}, type.name, ' ', element('small', {}, kindOf(type))),
      ...describe(type.description),
      ...listOf('Implements', interfaces),
      ...listOf(isAbstractType(type) ? 'Possible types' : '', members),
      element('dl', {}, ...fields.flatMap(describeField), ...values.flatMap(describeValue)),
    ];
  }

  /** @param {GraphQLField<unknown, unknown> | GraphQLInputField} described */
  function describeField(described) {
    const isRequired = !('args' in described) && isRequiredInputField(described);
    const args = 'args' in described ? described.args : [];
    return [
      element(
        'dt',
        { 'data-field': described.name },
        element('strong', {}, described.name),
        ': ',
        linkType(described.type),
        isRequired ? ' required' : null,
      ),
      element(
        'dd',
        {},
        ...describe(described.description),
        ...deprecation(described.deprecationReason),
        args.length === 0 ? null : element('ul', { class: 'args' }, ...args.map(describeArgument)),
      ),
    ];
  }

  /** @param {GraphQLArgument} argument */
  function describeArgument(argument) {
    const { name, type, description } = argument;
    return element(
      'li',
      {},
      element('strong', {}, name),
      ': ',
      linkType(type),
      isRequiredArgument(argument) ? ' required' : null,
      description ? ` — ${description}` : null,
    );
  }

  /** @param {string} title @param {readonly GraphQLNamedType[]} types */
  function listOf(title, types) {
    if (types.length === 0) return [];
    const names = types.flatMap(({ name }, at) => (at === 0 ? [link(name)] : [', ', link(name)]));
    return [element('p', { class: 'facts' }, `${title}: `, ...names)];
  }

  field.addEventListener('input', () => {
    const words = field.value.trim().toLowerCase();
    if (!schema || words === '') return showRoots();
    const hits = findNames(schema, words);
    content.replaceChildren(
      hits.length === 0
        ? element('p', {}, 'No type or field has this name.')
        : element('ul', {}, ...hits.map(({ type, field: found }) => element('li', {}, link(type, found)))),
    );
  });

  return {
    /** @param {GraphQLSchema} loaded */
    show(loaded) {
      schema = loaded;
      showRoots();
    },
    /** @param {string} message @param {() => void} retry */
    fail(message, retry) {
      content.replaceChildren(
        element('p', { class: 'fault' }, `The schema could not be read: ${message}`),
        button('Try again', retry),
      );
    },
    showType,
  };
}

/**
 * Types and fields whose names contain a text: those that begin with it first, the shortest first, types before fields.
 *
 * @param {GraphQLSchema} schema
 * @param {string} text in lower case
 * @returns {readonly { type: string, field: string | null }[]}
 */
export function findNames(schema, text) {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => [
      { type: type.name, field: /** @type {string | null} */ (null) },
      ...('getFields' in type ? Object.keys(type.getFields()) : []).map((field) => ({
        type: type.name,
        field,
      })),
    ])
    .map((hit) => ({
      hit,
      name: hit.field ?? hit.type,
      at: (hit.field ?? hit.type).toLowerCase().indexOf(text),
    }))
    .filter(({ at }) => at >= 0)
    .sort(
      (one, other) =>
        one.at - other.at ||
        one.name.length - other.name.length ||
        Number(one.hit.field !== null) - Number(other.hit.field !== null),
    )
    .slice(0, maxHits)
    .map(({ hit }) => hit);
}

/** @param {GraphQLNamedType} type */
function kindOf(type) {
  if (isObjectType(type)) return 'object';
  if (isInterfaceType(type)) return 'interface';
  if (isUnionType(type)) return 'union';
  if (isEnumType(type)) return 'enum';
  return isInputObjectType(type) ? 'input' : 'scalar';
}

/** @param {GraphQLEnumValue} value */
const describeValue = ({ name, description, deprecationReason }) => [
  element('dt', {}, element('code', {}, name)),
  element('dd', {}, ...describe(description), ...deprecation(deprecationReason)),
];

/** @param {string | null | undefined} text */
const describe = (text) => (text ? [element('p', {}, text)] : []);

/** @param {string | null | undefined} reason */
const deprecation = (reason) => (reason ? [element('p', { class: 'fault' }, `Deprecated: ${reason}`)] : []);
