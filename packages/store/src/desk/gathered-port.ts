/**
 * A port whose messages go together: all that are posted within one turn of the event loop are one message of the system's. Each such message
 * costs its sender and the thread that it wakes ten microseconds and more, whatever is in it. Both ends must be gathered; the order stays.
 */
import type { MessagePort } from 'node:worker_threads';

/** The half of a `MessagePort` that is used. */
export type Port = Pick<MessagePort, 'postMessage' | 'on'>;

/** What is posted is sent at the end of the turn, by `atTurnsEnd`; what is not sent by the time `port` is closed is lost. */
export function gathered(port: Port, atTurnsEnd: (task: () => void) => unknown = setImmediate): Port {
  let waiting: unknown[] = [];
  const send = (): void => {
    const together = waiting;
    waiting = [];
    port.postMessage(together);
  };
  const each = (listener: (message: unknown) => void) => (together: readonly unknown[]): void => {
    for (const message of together) listener(message);
  };
  return {
    postMessage(message: unknown) {
      if (waiting.push(message) === 1) atTurnsEnd(send);
    },
    on(event: string, listener: (message: unknown) => void) {
      port.on(event, event === 'message' ? each(listener) : listener);
    },
  } as unknown as Port;
}
