/**
 * The fleet as rows: each virtual instance with its components. Does not use the DOM.
 *
 * @import { ComponentNode, InstanceKind, InstanceNames, VirtualInstanceNode } from '../types.js'
 * @typedef {{
 *   nodeId: string, kind: InstanceKind, name: string, subscriptionId: string, resourceGroupName: string,
 *   virtualInstanceName: string, isProduction: boolean, status: string | null,
 *   health: string | null, facts: readonly string[], systemId: string,
 * }} Row
 * @typedef {{ row: Row, components: Row[], missing: number }} System
 * @typedef {{ text: string, kind: string, status: string }} Filter an empty text matches all
 * @typedef {{ system: System, isMatch: boolean, components: Row[] }} Match
 */
import { firstText, formatWord, kindNames } from '../labels.js';
import { instanceState, urgencyOf } from '../states.js';

/** Without its components, where they were not selected. @param {VirtualInstanceNode} node @returns {System} */
export function readSystem(node) {
  const lists = [node.centralInstances, node.applicationInstances, node.databaseInstances];
  const row = readRow(node, node.nodeId, node.environment === 'Prod');
  return {
    row,
    components: lists.flatMap((list) =>
      (list?.nodes ?? []).map((component) => readRow(component, node.nodeId, row.isProduction)),
    ),
    missing: lists.reduce((sum, list) => sum + (list?.totalCount ?? 0) - (list?.nodes.length ?? 0), 0),
  };
}

/** @type {Readonly<Record<string, InstanceKind>>} */
const kinds = {
  VirtualInstance: 'VIRTUAL_INSTANCE',
  CentralInstance: 'CENTRAL_INSTANCE',
  ApplicationInstance: 'APPLICATION_INSTANCE',
  DatabaseInstance: 'DATABASE_INSTANCE',
};

/** @param {ComponentNode} node @param {string} systemId @param {boolean} isProduction @returns {Row} */
export function readRow(node, systemId, isProduction) {
  const { environment, product, location } = /** @type {Partial<VirtualInstanceNode>} */ (node);
  const kind = kinds[node.__typename] ?? 'VIRTUAL_INSTANCE';
  return {
    nodeId: node.nodeId,
    kind,
    name: firstText(nameOf(node), 'Unnamed instance'),
    subscriptionId: node.subscriptionId ?? '',
    resourceGroupName: node.resourceGroupName ?? '',
    virtualInstanceName: node.virtualInstanceName ?? '',
    isProduction,
    status: node.status,
    health: node.health ?? null,
    facts:
      kind === 'VIRTUAL_INSTANCE'
        ? [formatWord(environment ?? null), product === 'Other' ? '' : (product ?? ''), location ?? '']
        : [node.hostname ?? '', node.databaseType ?? '', node.instanceNo ? `No. ${node.instanceNo}` : ''],
    systemId,
  };
}

/** The name of an instance among those of its kind. @param {InstanceNames} names */
export const nameOf = ({
  applicationInstanceName,
  centralInstanceName,
  databaseInstanceName,
  virtualInstanceName,
}) => applicationInstanceName ?? centralInstanceName ?? databaseInstanceName ?? virtualInstanceName;

/**
 * Identifies an instance by its address, which an operation names, too; case makes no difference.
 *
 * @param {{ kind: string | null, name: string | null, subscriptionId: string | null, resourceGroupName: string | null, virtualInstanceName: string | null }} instance
 */
export const addressOf = ({ kind, name, subscriptionId, resourceGroupName, virtualInstanceName }) =>
  JSON.stringify([subscriptionId, resourceGroupName, virtualInstanceName, kind, name]).toLowerCase();

/**
 * Finds rows that have every word of the text somewhere, the kind and the status. A virtual instance that does not
 * match itself stands above its components that do.
 *
 * @param {readonly System[]} systems
 * @param {Filter} filter
 * @returns {Match[]}
 */
export function filterFleet(systems, { text, kind, status }) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (/** @type {Row} */ row) =>
    (kind === '' || row.kind === kind) &&
    (status === '' || (row.status ?? '') === status) &&
    (words.length === 0 || words.every((word) => searchText(row).includes(word)));
  return systems
    .map((system) => ({
      system,
      isMatch: matches(system.row),
      components: system.components.filter(matches),
    }))
    .filter(({ isMatch, components }) => isMatch || components.length > 0);
}

/** @typedef {'name' | 'status' | 'health' | 'operation'} SortKey */

/**
 * Sorts the components of each virtual instance, and the virtual instances: by their names, or by the first of their rows.
 * States begin with the most urgent, operations with the latest.
 *
 * @param {readonly Match[]} matches
 * @param {{ key: SortKey | null, isDescending: boolean }} sort null keeps the order of the upstream
 * @param {(row: Row) => string} requestedAt when the last operation was requested; empty without one
 * @returns {readonly Match[]}
 */
export function sortFleet(matches, { key, isDescending }, requestedAt) {
  if (key === null) return matches;
  /** @type {Readonly<Record<SortKey, (one: Row, other: Row) => number>>} */
  const comparisons = {
    name: (one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }),
    status: (one, other) => urgencyOf(instanceState(one.status)) - urgencyOf(instanceState(other.status)),
    health: (one, other) => urgencyOf(instanceState(one.health)) - urgencyOf(instanceState(other.health)),
    operation: (one, other) => requestedAt(other).localeCompare(requestedAt(one)),
  };
  const compare = (/** @type {Row} */ one, /** @type {Row} */ other) =>
    isDescending ? comparisons[key](other, one) : comparisons[key](one, other);
  return matches
    .map((match) => {
      const components = match.components.toSorted(compare);
      const rows = match.isMatch ? [match.system.row, ...components] : components;
      const first = key === 'name' ? match.system.row : rows.toSorted(compare)[0];
      return { match: { ...match, components }, first: /** @type {Row} */ (first) };
    })
    .toSorted((one, other) => compare(one.first, other.first))
    .map(({ match }) => match);
}

/** @param {Row} row */
const searchText = (row) =>
  [
    row.name,
    row.virtualInstanceName,
    row.resourceGroupName,
    kindNames[row.kind],
    instanceState(row.status).word,
    formatWord(row.health),
    ...row.facts,
    row.isProduction ? 'production' : '',
  ]
    .join('\n')
    .toLowerCase();
