import { type Delivery, UpstreamError, type UpstreamName } from '../errors.ts';
import { UndecodableBody } from './wire/body-reader.ts';
import { ProxyRefusal } from './wire/connector.ts';

const tooLongCode = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
// The TLS alert of a server that supports none of the offered protocols (RFC 7301, section 3.2).
const noProtocolCode = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL';

/** Whether a call failed because its response body exceeded `maxResponseBytes`. */
export const isResponseTooLong = ({ cause }: UpstreamError): boolean =>
  (cause as { code?: unknown } | undefined)?.code === tooLongCode;

export function toTransportError(
  upstream: UpstreamName,
  cause: NodeJS.ErrnoException,
  delivery: Delivery,
): UpstreamError {
  const options = { upstream, delivery, cause };
  const unavailable = (message: string) => new UpstreamError('UPSTREAM_UNAVAILABLE', message, options);
  const { code } = cause;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return timeoutError(upstream, delivery, cause);
  if (cause instanceof ProxyRefusal)
    return unavailable(
      `The proxy before the upstream refused a connection to it with status ${cause.status}.`,
    );
  // Retryable, since the body may have been damaged in transit.
  if (cause instanceof UndecodableBody)
    return unavailable('The upstream responded with a body that is not in the content coding that it names.');
  if (code === noProtocolCode) return unavailable('The upstream does not offer HTTP/1.1, which is needed.');
  if (code === tooLongCode || code === 'UND_ERR_HEADERS_OVERFLOW')
    return new UpstreamError(
      'UPSTREAM_BAD_RESPONSE',
      'The upstream responded with more than may be read.',
      options,
    );
  return unavailable('The upstream cannot be reached, or closed the connection.');
}

export const timeoutError = (upstream: UpstreamName, delivery: Delivery, cause: unknown) =>
  new UpstreamError('UPSTREAM_TIMEOUT', 'The upstream did not respond in time.', {
    upstream,
    delivery,
    cause,
  });
