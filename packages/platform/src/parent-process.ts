/** The process that began this one, spoken to as a thread speaks to its parent. This process ends with it, and leaves signals to it. */
import { endWithParent } from '@metergate/store/network/end-with-parent.ts';

interface ParentProcess<Message> {
  /** What it sends first. */
  readonly first: Promise<unknown>;
  postMessage(message: unknown): void;
  /** Of all that comes after the first. */
  on(listener: (message: Message) => void): void;
  /** Nothing more is said or heard once what was said is sent. This process ends when it has nothing more to do. */
  close(): void;
  /** This process ends once what was said is sent, whatever it has to do. */
  end(): void;
}

/**
 * A fault that nobody caught ends this process, as it would end a thread; `{broke}` says its kind. Its sentence may hold what nobody else may see.
 * @throws Error if there is no parent
 */
export function parentProcess<Message>(): ParentProcess<Message> {
  if (process.send === undefined) throw new Error('This process is begun by another one only.');
  const first = Promise.withResolvers<unknown>();
  const listeners: ((message: Message) => void)[] = [];
  let hear = (message: unknown): void => {
    hear = (later) => { for (const listener of listeners) listener(later as Message); };
    first.resolve(message);
  };
  let [unsent, isClosing] = [0, false];
  const leave = (): void => {
    if (isClosing && unsent === 0 && process.connected) process.disconnect!();
  };
  const postMessage = (message: unknown): void => {
    // A parent that is gone hears nothing.
    if (!process.connected) return;
    process.send!(message, undefined, undefined, () => {
      unsent -= 1;
      leave();
    });
    unsent += 1;
  };
  process.on('message', (message) => hear(message));
  const outliveParent = endWithParent();
  process.on('uncaughtException', (fault: unknown) => {
    process.send!({ broke: fault instanceof Error ? fault.name : 'unknown fault' }, undefined, undefined, () => process.exit(1));
  });
  // Nobody may read what the runtime warns of.
  process.stderr.on('error', () => {});
  return {
    first: first.promise,
    postMessage,
    on: (listener) => void listeners.push(listener),
    close() {
      isClosing = true;
      outliveParent();
      leave();
    },
    // The channel that closes ends it.
    end() {
      isClosing = true;
      leave();
    },
  };
}
