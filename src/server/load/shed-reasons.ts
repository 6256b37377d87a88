/**
 * The limit that a request exceeded: all slots, event-loop delay, its caller's share, its upstream's share, or the open
 * connections.
 */
export type ShedReason = 'requests' | 'event_loop' | 'caller' | 'upstream' | 'connections';

const processOverloaded = 'The server is overloaded. Try again in a second.';

/** Messages for rejected callers. */
export const overloadMessages: Readonly<Record<ShedReason, string>> = {
  requests: processOverloaded,
  event_loop: processOverloaded,
  caller: 'Too many requests of this caller are in progress. Try again in a second.',
  upstream: 'Too many requests are waiting for this upstream. Try again in a second.',
  connections: processOverloaded,
};
