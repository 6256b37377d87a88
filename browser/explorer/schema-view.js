/** The *Schema* pane: types, their fields and descriptions, and a search over all of them. */
import { button, element } from '../dom.js';
import { count } from './amounts.js';
import {
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from './libraries.js';
import { kindOf, membersOf, searchSchema } from './search.js';

/**
 * @import { Found } from './search.js'
 * @import { GraphQLArgument, GraphQLEnumValue, GraphQLField, GraphQLInputField, GraphQLNamedType, GraphQLSchema, GraphQLType } from 'graphql'
 */

const maxShown = 60;

/** @param {HTMLElement} place */
export function createSchemaView(place) {
  const field = element('input', {
    type: 'search',
    id: 'schema-search',
    placeholder: 'Search names and descriptions',
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

  /** @param {string} name @param {string | null} fieldName a field or an enum value, which is scrolled into view */
  function showType(name, fieldName) {
    const type = schema?.getType(name);
    if (!type) return;
    if (visited.at(-1) !== name) visited.push(name);
    content.replaceChildren(createPath(), ...describeType(type, /** @type {GraphQLSchema} */ (schema)));
    const shown = [...content.querySelectorAll('dt')].find(({ dataset }) => dataset.field === fieldName);
    for (const each of content.querySelectorAll('dt')) each.toggleAttribute('data-shown', each === shown);
    (shown ?? content).scrollIntoView({ block: shown ? 'center' : 'nearest' });
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
      field.value.trim() === ''
        ? button('Operations', showRoots, { class: 'link' })
        : button('Search results', search, { class: 'link' }),
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
    return [
      element('h3', {}, type.name, ' ', element('small', {}, kindOf(type))),
      ...describe(type.description),
      ...listOf('Implements', interfaces),
      ...listOf(isAbstractType(type) ? 'Possible types' : '', members),
      element('dl', {}, ...membersOf(type).flatMap(describeMember)),
    ];
  }

  /**
   * A field with its arguments, an argument, an input field or an enum value.
   *
   * @param {GraphQLField<unknown, unknown> | GraphQLArgument | GraphQLInputField | GraphQLEnumValue} described
   * @returns {Element[]}
   */
  function describeMember(described) {
    const { name, description, deprecationReason } = described;
    const args = 'args' in described ? described.args : [];
    const isRequired = 'defaultValue' in described && isRequiredArgument(described);
    return [
      element(
        'dt',
        { 'data-field': name },
        element('strong', {}, name),
        ...('type' in described ? [': ', linkType(described.type)] : []),
        isRequired ? ' required' : null,
      ),
      element(
        'dd',
        {},
        ...describe(description),
        deprecationReason ? element('p', { class: 'fault' }, `Deprecated: ${deprecationReason}`) : null,
        args.length === 0 ? null : element('dl', {}, ...args.flatMap(describeMember)),
      ),
    ];
  }

  /** @param {string} title @param {readonly GraphQLNamedType[]} types */
  function listOf(title, types) {
    if (types.length === 0) return [];
    const names = types.flatMap(({ name }, at) => (at === 0 ? [link(name)] : [', ', link(name)]));
    return [element('p', { class: 'facts' }, `${title}: `, ...names)];
  }

  function search() {
    const text = field.value.trim();
    if (!schema || text === '') return showRoots();
    visited = [];
    const found = searchSchema(schema, text);
    const shown = found.slice(0, maxShown);
    content.replaceChildren(
      element(
        'p',
        { class: 'facts', role: 'status' },
        found.length === 0
          ? 'Nothing has all of these words in its name or description.'
          : found.length > maxShown
            ? `The first ${maxShown} of ${found.length} results`
            : count(found.length, 'result'),
      ),
      element('ul', { class: 'found' }, ...shown.map(describeFound)),
    );
  }

  /** @param {Found} found */
  const describeFound = ({ type, member, kind, of, description }) =>
    element(
      'li',
      {},
      link(type, member),
      of === null ? null : element('span', { class: 'type' }, `: ${of}`),
      ' ',
      element('small', {}, kind),
      // Its first sentence or line.
      ...describe(/^.+?\.(?=\s)|^.+/.exec(description)?.[0]),
    );

  field.addEventListener('input', search);

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
    /** @type {typeof showType} */
    showType(name, fieldName) {
      field.value = '';
      showType(name, fieldName);
    },
  };
}

/** Names in it are in backticks. @param {string | null | undefined} text */
const describe = (text) =>
  text
    ? [
        element(
          'p',
          {},
          ...text.split('`').map((part, at) => (at % 2 === 0 ? part : element('code', {}, part))),
        ),
      ]
    : [];
