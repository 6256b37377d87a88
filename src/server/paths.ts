/** URL path of GraphQL over HTTP and WebSocket. */
export const graphqlPath = '/graphql';

/** URL path of subscriptions over server-sent events. */
export const streamPath = `${graphqlPath}/stream`;

/** URL path of webhook notifications, relative to `WEBHOOK_URL`. */
export const webhookPath = '/webhooks/records';
