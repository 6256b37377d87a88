/** The library, which the server serves here. */
export * from 'graphql-ws/client';
