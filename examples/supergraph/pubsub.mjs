/** Hands messages to listeners of their topics, within this process. What the gateway needs for callbacks, and no more. */
export function createPubSub() {
  const listeners = new Map();
  return {
    subscribedTopics: () => [...listeners.keys()],
    publish(topic, message) {
      for (const listener of listeners.get(topic) ?? []) listener(message);
    },
    subscribe(topic, listener) {
      const ofTopic = listeners.get(topic) ?? new Set();
      listeners.set(topic, ofTopic.add(listener));
      return () => {
        ofTopic.delete(listener);
        if (ofTopic.size === 0) listeners.delete(topic);
      };
    },
  };
}
