import type { ServerResponse } from 'node:http';

/** Event streams of the process, from before they start until their connections close. */
export interface OpenStreams {
  /** Calls `onClose` when the response closes. Returns false if it is closed already. */
  add(response: ServerResponse, onClose: () => void): boolean;
  /** Whether a stream may start. Disconnects the client if streams are being closed. */
  canStart(response: ServerResponse): boolean;
  close(): void;
}

export function createOpenStreams(): OpenStreams {
  const responses = new Set<ServerResponse>();
  let isClosing = false;

  return {
    add(response, onClose) {
      if (response.destroyed) {
        onClose();
        return false;
      }
      responses.add(response);
      response.once('close', () => {
        responses.delete(response);
        onClose();
      });
      return true;
    },

    canStart(response) {
      if (isClosing) response.destroy();
      return !response.destroyed;
    },

    close() {
      isClosing = true;
      for (const response of responses) {
        // The stream has not started: `canStart` will close it.
        if (!response.headersSent) continue;
        // No `complete` event: it would tell the client not to reconnect.
        response.on('error', () => {});
        response.end();
      }
    },
  };
}
