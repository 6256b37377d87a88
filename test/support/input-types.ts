/** The type of the input of a mutation of records. */
export const inputTypeOf = (mutation: string): string =>
  /^(delete|post|send|cancel|make|shipAnd|receiveAnd)[A-Z]/.test(mutation)
    ? 'RecordVersionInput'
    : `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
