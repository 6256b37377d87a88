import { type DocumentNode, parse } from 'graphql';
import type { RecordAction } from '../record-action.ts';
import type { RecordNames, RecordTypeDescriptor } from '../record-type.ts';

/** The mutations of the actions of each record type that has them, with their inputs and payloads. */
export function actionDefs(recordTypes: readonly RecordTypeDescriptor[]): DocumentNode {
  const namesOf = new Map(recordTypes.map(({ type, names }) => [type, names]));
  return parse(
    recordTypes
      .flatMap(({ type, names, actions = [] }) =>
        names
          ? actions.map((action) => actionDef(action, type, names, namesOf.get(action.result?.type ?? '')))
          : [],
      )
      .join('\n'),
  );
}

function actionDef(
  { mutation, texts, result }: RecordAction,
  type: string,
  { one }: RecordNames,
  resultNames: RecordNames | undefined,
): string {
  const stem = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const { summary, record, after } = texts;
  const resultField =
    result && resultNames ? `  "${texts.result}"\n  ${resultNames.one}: ${result.type}\n` : '';
  return `
extend type Mutation {
  """
  ${summary}.

  The action is sent once, and never again: it could be carried out twice. Returns STALE_RECORD when ${record} has changed since \`ifMatch\` was read, and OUTCOME_UNKNOWN when the action was sent and the records do not show whether it was carried out. It may then still be running: look at the records again after ten minutes before you repeat the request.

  BAD_USER_INPUT, and nothing is sent, where the upstream has no actions.
  """
  ${mutation}("What to do it to." input: ${stem}Input!): ${stem}Payload
}

"What \`${mutation}\` is carried out on."
input ${stem}Input {
  "The company of ${record}; may be omitted where the deployment sets a default company."
  companyId: UUID
  "The GUID of ${record}."
  id: UUID!
  "The \`etag\` of ${record} as it was read; \`*\` stands for any version."
  ifMatch: String!
}

"The result of \`${mutation}\`."
type ${stem}Payload {
  "${after}"
  ${one}: ${type}
${resultField}  "Why it was not carried out, or why the outcome is unknown; empty when it was."
  userErrors: [UserError!]!
}`;
}
