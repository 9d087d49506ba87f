/**
 * A port that sends its messages together: all that are posted within one turn of the event loop travel as one message. Sending one costs the
 * sender and the thread it wakes at least ten microseconds, whatever it contains. Both ends must be gathered; the order is kept.
 */
import type { MessagePort } from 'node:worker_threads';

/** The part of a `MessagePort` that is used. */
export type Port = Pick<MessagePort, 'postMessage' | 'on'>;

/** `atTurnsEnd` sends what was posted at the end of the turn; what is not sent by the time `port` is closed is lost. */
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
