import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { onResponseClosed } from '../../../../src/server/load/request-slots.ts';

test('all that waits for the end of a response waits with one listener, and is called once', () => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const act = vi.fn();
  for (let count = 0; count < 20; count++) onResponseClosed(response, act);

  expect(response.listenerCount('close')).toBe(1);
  expect(act).not.toHaveBeenCalled();
  response.emit('close');
  expect(act).toHaveBeenCalledTimes(20);
});
