/** URL path of GraphQL over HTTP and WebSocket. */
export const graphqlPath = '/graphql';

/** URL path of subscriptions over server-sent events. */
export const streamPath = `${graphqlPath}/stream`;

/** The prefix of the URL path of a file. The sealed part follows. */
export const filesPath = '/files/';

/** The route of files. Not a named parameter, since the sealed part may be longer. */
export const filesRoute = `${filesPath}*`;

/** URL path of webhook notifications, relative to `PUBLIC_URL`. */
export const webhookPath = '/webhooks/records';

export const explorerPath = '/';

export const consolePath = '/console';
