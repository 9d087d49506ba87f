/** What is used of `ws`: its reader of messages, and its decompression. Its own package has no types. */
declare module 'ws' {
  import type { Writable } from 'node:stream';

  export interface ReceiverOptions {
    readonly isServer: boolean;
    readonly maxPayload: number;
    readonly extensions?: Readonly<Record<string, PerMessageDeflate>>;
  }

  /** Emits `message` with a whole message, and `error` with a `code`. */
  export class Receiver extends Writable {
    constructor(options: ReceiverOptions);
  }

  export class PerMessageDeflate {
    constructor(options: { readonly isServer: boolean; readonly maxPayload: number });
    accept(parameters: readonly ExtensionParameters[]): unknown;
    cleanup(): void;
  }

  export type ExtensionParameters = Record<string, (string | true)[]>;

  export const extension: { readonly parse: (header: string) => Record<string, ExtensionParameters[]> };
}
