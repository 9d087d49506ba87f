/**
 * Node's own HTTP parser, the one that node:http uses on both its sides, in its strict mode. It is no public part of Node (DEP0199: deprecated
 * in its documentation), so it is used only on the major versions of Node that the tests of this folder, of `network` and of `callers` were
 * run on, and only after it has shown that it still reads what it should and refuses what it must. Otherwise there is none. Decision 0041.
 */

type Slot = number;

/** What both kinds of parser share. */
export interface Parser {
  /** Reads these bytes. An error where they are no HTTP; its `code` says why. */
  execute(bytes: Uint8Array): number | Error;
  /** The connection came to its end in order. An error where the message was not whole. */
  finish(): Error | undefined;
  /** Frees what it holds outside of the heap. Not while it reads. */
  close(): void;
}

/** A parser as Node has it. What it hears of goes to the functions in its slots, which it is the `this` of. */
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

/** For `initialize`. */
export const lenientNone = 0;

interface HttpCommon {
  readonly HTTPParser?: NativeParserClass;
}

/** The parser of this Node, if it `readsRightly`; else null. Never throws. */
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
  if (Number.parseInt(process.versions.node, 10) > newestMajor) return null;
  try {
    return process.getBuiltinModule('node:_http_common') as HttpCommon | undefined ?? null;
  } catch {
    return null;
  }
}
