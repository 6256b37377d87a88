/** URL path of GraphQL over HTTP and WebSocket. */
export const graphqlPath = '/graphql';

/** URL path of subscriptions over server-sent events. */
export const streamPath = `${graphqlPath}/stream`;

/** What precedes the sealed part in the URL path of a file. */
export const filesPath = '/files/';

/** The route of files: the sealed part may be longer than a named parameter. */
export const filesRoute = `${filesPath}*`;

/** URL path of webhook notifications, relative to `PUBLIC_URL`. */
export const webhookPath = '/webhooks/records';

/** URL path of the explorer. */
export const explorerPath = '/';

/** URL path of the console. */
export const consolePath = '/console';
