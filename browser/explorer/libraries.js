/** What the explorer uses of libraries. `npm run build` bundles it into one file, which is served in place of this one. */
export {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
export { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
export { json, jsonParseLinter } from '@codemirror/lang-json';
export {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
export { linter, lintKeymap } from '@codemirror/lint';
export { search, searchKeymap } from '@codemirror/search';
export { Compartment, EditorState, Prec } from '@codemirror/state';
export { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view';
export { tags } from '@lezer/highlight';
export { graphql, updateSchema } from 'cm6-graphql';
export {
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
  Kind,
  parse,
  print,
} from 'graphql';
export { createClient } from 'graphql-ws/client';
