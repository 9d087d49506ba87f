/**
 * Node's own HTTP parser, the one that node:http uses on both its sides, in its strict mode. It is not a public part of Node (DEP0199: deprecated
 * in its documentation), so it is used only on the major versions of Node that the tests of this folder, of `network` and of `callers` were
 * run on, and only after it has shown that it still reads what it should and refuses what it must. Otherwise there is none. Decision 0041.
 */
import { mayUseInternals } from '@metergate/store/threads/node-internals.ts';

type Slot = number;

/** What both kinds of parser share. */
export interface Parser {
  /** Reads these bytes. An error if they are not HTTP; its `code` says why. */
  execute(bytes: Uint8Array): number | Error;
  /** The connection ended in order. Returns an error if the message was incomplete. */
  finish(): Error | undefined;
  /** Frees its memory outside of the heap. Do not call it while it reads. */
  close(): void;
}

/** A parser as Node has it. What it reads goes to the functions in its slots; it is their `this`. */
export interface NativeParser<Owner> extends Parser {
  initialize(type: number, resource: object, headBytesMax: number, lenientFlags: number): void;
  owner: Owner;
  [slot: Slot]: unknown;
}

export interface NativeParserClass {
  new <Owner>(): NativeParser<Owner>;
  readonly REQUEST: number;
  readonly RESPONSE: number;
  readonly kOnMessageBegin: Slot;
  readonly kOnHeaders: Slot;
  readonly kOnHeadersComplete: Slot;
  readonly kOnBody: Slot;
  readonly kOnMessageComplete: Slot;
}

/** Longer heads are refused. Bytes. */
export const headBytesMax = 16 * 1024;

/** The newest major version of Node that the tests were run on. */
const newestMajor = 26;

const lenientNone = 0;

/** The events of a message of either kind. */
interface MessageEvents {
  begun(): void;
  body(chunk: Buffer): void;
  complete(): void;
}

/** How one kind of message is read: the functions are called with the parser as their `this`, so that no parser has functions of its own. */
export interface MessageKind<Owner> {
  readonly type: (parser: NativeParserClass) => number;
  readonly onHeaders: (this: NativeParser<Owner>, pairs: string[], target: string) => void;
  readonly onHeadersComplete: (this: NativeParser<Owner>, ...parts: never) => number;
}

/** A strict parser of this kind, which reports what it reads to its owner. */
export function createParser<Owner extends MessageEvents>(Class: NativeParserClass, kind: MessageKind<Owner>, owner: Owner): NativeParser<Owner> {
  const parser = new Class<Owner>();
  parser.initialize(kind.type(Class), owner, headBytesMax, lenientNone);
  parser.owner = owner;
  parser[Class.kOnHeaders] = kind.onHeaders;
  parser[Class.kOnHeadersComplete] = kind.onHeadersComplete;
  parser[Class.kOnBody] = onBody;
  reportEndsOf(Class, parser, true);
  return parser;
}

/** Switches the events for the beginnings and ends of messages on or off. */
export function reportEndsOf<Owner extends MessageEvents>(Class: NativeParserClass, parser: NativeParser<Owner>, told: boolean): void {
  parser[Class.kOnMessageBegin] = told ? onMessageBegin : null;
  parser[Class.kOnMessageComplete] = told ? onMessageComplete : null;
}

function onMessageBegin(this: NativeParser<MessageEvents>): void {
  this.owner.begun();
}

function onBody(this: NativeParser<MessageEvents>, chunk: Buffer): void {
  this.owner.body(chunk);
}

function onMessageComplete(this: NativeParser<MessageEvents>): void {
  this.owner.complete();
}

interface HttpCommon {
  readonly HTTPParser?: NativeParserClass;
}

/** The parser of this Node, if it `readsRightly`, or null. Never throws. */
export function usableParser(readsRightly: (parser: NativeParserClass) => boolean): NativeParserClass | null {
  const found = common()?.HTTPParser;
  if (found === undefined) return null;
  try {
    return readsRightly(found) ? found : null;
  } catch {
    return null;
  }
}

function common(): HttpCommon | null {
  if (!mayUseInternals || Number.parseInt(process.versions.node, 10) > newestMajor) return null;
  try {
    return process.getBuiltinModule('node:_http_common') as HttpCommon | undefined ?? null;
  } catch {
    return null;
  }
}
