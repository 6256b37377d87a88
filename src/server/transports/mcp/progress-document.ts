/** The subscription that reports the progress of an operation. The guard of MCP trusts it besides the manifest. */
export const progressDocument =
  'subscription McpOperationProgress($id: ID!) { operationProgress(id: $id) { state percentComplete error { code message } } }';
