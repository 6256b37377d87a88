import type { DocumentNode } from 'graphql';
import { parseDefinitions } from '../../graph/definition-keys.ts';
import { type ActionKind, actionKinds, withArticle } from './actions.ts';

/** How many instances one mutation stops or starts. */
export const maxInstances = 100;

/** The mutations that stop and start resources, with their inputs and payloads. */
export const instanceActionDefs = (): DocumentNode =>
  parseDefinitions(
    actionKinds
      .flatMap((kind) => [referenceDefs(kind), ...actions.map((one) => actionDefs(kind, one))])
      .join('\n'),
  );

interface Action {
  readonly name: 'stop' | 'start';
  readonly gerund: string;
  /** Its parameters, as fields of the input. */
  readonly parameters: string;
}

const actions: readonly Action[] = [
  {
    name: 'stop',
    gerund: 'stopping',
    parameters: `
  "Whole seconds in which no new sessions are accepted before it stops. 0 is a hard stop: running sessions are cut off."
  softStopTimeoutSeconds: SafeInt = 0
  "Whether to stop and deallocate the virtual machine as well, which ends its costs; INVALID_INPUT where the upstream's api-version cannot."
  deallocateVm: Boolean`,
  },
  {
    name: 'start',
    gerund: 'starting',
    parameters: `
  "Whether to start the virtual machine first; INVALID_INPUT where the upstream's api-version cannot."
  startVm: Boolean`,
  },
];

const referenceDefs = ({ type, title, names }: ActionKind) => `
"Names ${withArticle(title)}, by one of these."
input ${type}ReferenceInput @oneOf {
  "Its \`nodeId\`, as a list or a read returned it."
  nodeId: ID
  "The names in its address."
  names: ${type}NamesInput
}

"The address of ${withArticle(title)}."
input ${type}NamesInput {
  ${names.map(([field, description]) => `${JSON.stringify(description)} ${field}: String!`).join('\n  ')}
}`;

function actionDefs(kind: ActionKind, action: Action): string {
  const { type, title, note, readField } = kind;
  const { name, gerund, parameters } = action;
  const field = `${name}${type}`;
  const verb = capitalize(name);
  return `
extend type Mutation {
  """
  ${verb} ${withArticle(title)}. ${note === null ? '' : `${note} `}Returns as soon as the upstream has accepted the request; follow the progress with \`operationProgress\`.

  It is never sent twice: where the same ${name} of this caller is still running, its operation is returned and nothing is sent. After OUTCOME_UNKNOWN, query \`${readField}\` for the result.
  """
  ${field}(
    "The ${title}, and how to ${name} it."
    input: ${capitalize(field)}Input!
  ): ${capitalize(field)}Payload
}

"Which ${title} to ${name}."
input ${capitalize(field)}Input {
  "The ${title} to ${name}."
  instance: ${type}ReferenceInput!${parameters}
}

"The result of ${gerund} ${withArticle(title)}."
type ${capitalize(field)}Payload {
  "The operation that ${name}s it; null when none was started, or when that is unknown."
  operation: InstanceOperation
  "Why the operation was not started; empty when it was."
  userErrors: [UserError!]!
}
${kind.hasMany ? manyDefs(kind, action) : ''}`;
}

function manyDefs({ type, title }: ActionKind, { name, gerund, parameters }: Action): string {
  const field = `${name}${type}s`;
  return `
extend type Mutation {
  """
  ${capitalize(name)} 1 to ${maxInstances} ${title}s, each with an operation of its own, at most five requests of a subscription at a time. One that is named twice, in whatever case, is sent once. One that is refused does not keep the others back; the upstream may refuse those that share a virtual machine with another one.

  Follow them all with \`operationsProgress\`. One whose request was not sent within a minute, or not accepted for a reason that passes, is NOT_STARTED and can be sent again. If the response is lost, \`operations\` lists every one that may have been sent; what is not in it was not sent.
  """
  ${field}(
    "The ${title}s, and how to ${name} them."
    input: ${capitalize(field)}Input!
  ): ${capitalize(field)}Payload
}

"Which ${title}s to ${name}."
input ${capitalize(field)}Input {
  "The ${title}s to ${name}, 1 to ${maxInstances}; any other count is BAD_USER_INPUT, and nothing is sent."
  instances: [${type}ReferenceInput!]!${parameters}
}

"The result of ${gerund} several ${title}s."
type ${capitalize(field)}Payload {
  "One result for each of \`instances\`, in their order."
  results: [${capitalize(name)}${type}Payload!]!
}`;
}

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
