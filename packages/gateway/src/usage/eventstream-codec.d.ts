/** Of the vendor's codec, what is used here: its own types bring those of its whole SDK. */
declare module '@smithy/eventstream-codec' {
  export class EventStreamCodec {
    constructor(toUtf8: (bytes: Uint8Array) => string, fromUtf8: (text: string) => Uint8Array);
    /** @throws Error if a length or a check sum is wrong. */
    decode(frame: Uint8Array): { readonly headers: Readonly<Record<string, { readonly value: unknown }>>; readonly body: Uint8Array };
    encode(message: {
      readonly headers: Readonly<Record<string, { readonly type: 'string'; readonly value: string }>>; readonly body: Uint8Array;
    }): Uint8Array;
  }
  const all: { readonly EventStreamCodec: typeof EventStreamCodec };
  export default all;
}
