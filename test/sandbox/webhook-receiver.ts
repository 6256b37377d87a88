import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, type Reply, type useSandbox } from './caller.ts';

interface Received {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What it answers; with no status it never does. */
interface Answered {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

interface Receiver {
  readonly url: string;
  readonly handshakes: Received[];
  readonly notifications: Received[];
  /** Answers handshakes so from now on; with the token and 200 until then. */
  onHandshake(answer: (token: string) => Answered): void;
  /** Answers the next notifications so, and all others with 200. */
  answerNext(...answers: Answered[]): void;
  /** The bodies of notifications, once there are so many. */
  told(count: number): Promise<Json[]>;
}

/** A server for one test file that subscribes and is told; it forgets before each test. */
export function useReceiver(): Receiver {
  let server: Server;
  let handshakes: Received[] = [];
  let notifications: Received[] = [];
  let onHandshake: (token: string) => Answered = (body) => ({ body });
  let answers: Answered[] = [];

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const { method = '', url: path = '', headers } = request;
      const received = { at: performance.now(), method, path, headers, text: await text(request) };
      const token = new URL(path, 'http://receiver').searchParams.get('validationToken');
      (token === null ? notifications : handshakes).push(received);
      const answered = token === null ? (answers.shift() ?? {}) : onHandshake(token);
      if ('status' in answered && answered.status === undefined) return;
      response.writeHead(answered.status ?? 200, answered.headers).end(answered.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    handshakes = [];
    notifications = [];
    answers = [];
    onHandshake = (body) => ({ body });
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function told(count: number): Promise<Json[]> {
    await expect.poll(() => notifications.length, { interval: 5 }).toBeGreaterThanOrEqual(count);
    return notifications.map((one) => JSON.parse(one.text));
  }

  return {
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    },
    get handshakes() {
      return handshakes;
    },
    get notifications() {
      return notifications;
    },
    onHandshake(answer) {
      onHandshake = answer;
    },
    answerNext(...next) {
      answers = next;
    },
    told,
  };
}

export const subscriptions = '/api/v2.0/subscriptions';

/** Subscribes to a set of the default company, as `clerk` where no token is given. */
export function subscribe(
  sandbox: ReturnType<typeof useSandbox>,
  notificationUrl: string,
  set = 'customers',
  rest: Json = {},
  token = 'clerk',
): Promise<Reply> {
  return sandbox.post(subscriptions, { notificationUrl, resource: `${company}/${set}`, ...rest }, { token });
}
