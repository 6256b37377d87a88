/** The library, which the server serves here. */
export * from 'oauth4webapi';
