import { type DefinitionNode, type DocumentNode, Kind } from 'graphql';
import { field, input, inputType, mutation, objectType, oneOf } from '../../graph/definitions.ts';
import { type ActionKind, actionKinds, withArticle } from './actions.ts';

/** How many instances one mutation stops or starts. */
export const maxInstances = 100;

/** The mutations that stop and start resources, with their inputs and payloads. */
export const instanceActionDefs = (): DocumentNode => ({
  kind: Kind.DOCUMENT,
  definitions: actionKinds.flatMap((kind) => [
    ...referenceTypes(kind),
    ...actions.flatMap((action) => [
      ...actionTypes(kind, action),
      ...(kind.hasMany ? manyTypes(kind, action) : []),
    ]),
  ]),
});

const actions = [
  {
    name: 'stop',
    gerund: 'stopping',
    parameters: [
      input(
        'Whole seconds in which no new sessions are accepted before it stops. 0 is a hard stop: running sessions are cut off.',
        'softStopTimeoutSeconds',
        'SafeInt',
        '0',
      ),
      input(
        "Whether to stop and deallocate the virtual machine as well, which ends its costs; INVALID_INPUT where the upstream's api-version cannot.",
        'deallocateVm',
        'Boolean',
      ),
    ],
  },
  {
    name: 'start',
    gerund: 'starting',
    parameters: [
      input(
        "Whether to start the virtual machine first; INVALID_INPUT where the upstream's api-version cannot.",
        'startVm',
        'Boolean',
      ),
    ],
  },
] as const;

type Action = (typeof actions)[number];

const referenceTypes = ({ type, title, names }: ActionKind): readonly DefinitionNode[] => [
  inputType(
    `Names ${withArticle(title)}, by one of these.`,
    `${type}ReferenceInput`,
    [
      input('Its `nodeId`, as a list or a read returned it.', 'nodeId', 'ID'),
      input('The names in its address.', 'names', `${type}NamesInput`),
    ],
    [oneOf],
  ),
  inputType(
    `The address of ${withArticle(title)}.`,
    `${type}NamesInput`,
    names.map(([name, description]) => input(description, name, 'String!')),
  ),
];

function actionTypes(
  { type, title, note, readField }: ActionKind,
  { name, gerund, parameters }: Action,
): readonly DefinitionNode[] {
  const stem = `${capitalize(name)}${type}`;
  return [
    mutation(
      `${name}${type}`,
      `${capitalize(name)} ${withArticle(title)}. ${note === null ? '' : `${note} `}Returns as soon as the upstream has accepted the request; follow the progress with \`operationProgress\`.

It is never sent twice: where the same ${name} of this caller is still running, its operation is returned and nothing is sent. After OUTCOME_UNKNOWN, query \`${readField}\` for the result.`,
      `The ${title}, and how to ${name} it.`,
    ),
    inputType(`Which ${title} to ${name}.`, `${stem}Input`, [
      input(`The ${title} to ${name}.`, 'instance', `${type}ReferenceInput!`),
      ...parameters,
    ]),
    objectType(`The result of ${gerund} ${withArticle(title)}.`, `${stem}Payload`, [
      field(
        `The operation that ${name}s it; null when none was started, or when that is unknown.`,
        'operation',
        'InstanceOperation',
      ),
      field('Why the operation was not started; empty when it was.', 'userErrors', '[UserError!]!'),
    ]),
  ];
}

function manyTypes(
  { type, title }: ActionKind,
  { name, gerund, parameters }: Action,
): readonly DefinitionNode[] {
  const stem = `${capitalize(name)}${type}`;
  return [
    mutation(
      `${name}${type}s`,
      `${capitalize(name)} 1 to ${maxInstances} ${title}s, each with an operation of its own, at most five requests of a subscription at a time. One that is named twice, in whatever case, is sent once. One that is refused does not keep the others back; the upstream may refuse those that share a virtual machine with another one.

Follow them all with \`operationsProgress\`. One whose request was not sent within a minute, or not accepted for a reason that passes, is NOT_STARTED and can be sent again. If the response is lost, \`operations\` lists every one that may have been sent; what is not in it was not sent.`,
      `The ${title}s, and how to ${name} them.`,
    ),
    inputType(`Which ${title}s to ${name}.`, `${stem}sInput`, [
      input(
        `The ${title}s to ${name}, 1 to ${maxInstances}; any other count is BAD_USER_INPUT, and nothing is sent.`,
        'instances',
        `[${type}ReferenceInput!]!`,
      ),
      ...parameters,
    ]),
    objectType(`The result of ${gerund} several ${title}s.`, `${stem}sPayload`, [
      field('One result for each of `instances`, in their order.', 'results', `[${stem}Payload!]!`),
    ]),
  ];
}

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
