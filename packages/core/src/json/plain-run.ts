/**
 * Bytes that stand for themselves in a JSON string: where a run of them ends. Prompts and answers are mostly such runs, and reading them is
 * most of what watching a call costs. A long one is copied into the memory of a few instructions of WebAssembly, which look at 16 bytes at once:
 * 1 ns of JavaScript a byte becomes 0.05. A short one is not worth the copy. Without WebAssembly, everything is read in JavaScript.
 */

const quote = 0x22;
const backslash = 0x5c;

/** 1 for bytes that stand for themselves in a string: ASCII from the space on, but for the quote and the backslash. */
const plain = new Uint8Array(256).map((_, byte) => (byte >= 0x20 && byte < 0x80 && byte !== quote && byte !== backslash ? 1 : 0));

/** Bytes of a run that are read one by one. Text whose runs have 80 bytes on average takes an eighth longer for it, from 120 on it takes less. */
const nearBytes = 128;
/** What is copied at first, since most runs end within it, and what the memory holds. Multiples of 16. */
const firstCopyBytes = 1_024;
const memoryBytes = 65_536;

/** Where the run that begins at `from` ends: the index of the first byte in `source[from..to)` that is not plain, or `to`. */
export function plainRunEnd(source: Uint8Array, from: number, to: number): number {
  const nearTo = to - from > nearBytes ? from + nearBytes : to;
  let at = from;
  while (at < nearTo && plain[source[at]!] === 1) at++;
  return at === nearTo && at < to ? farRunEnd(source, at, to) : at;
}

interface WideReader {
  readonly memory: Uint8Array;
  /** How many bytes from the beginning of the memory are plain: `bytes` or more where all of those are. `bytes`: above 0. */
  readonly plainBytes: (bytes: number) => number;
}

/** Null: there is none. Undefined: nobody has asked yet. */
let wideReader: WideReader | null | undefined;

function farRunEnd(source: Uint8Array, from: number, to: number): number {
  if (wideReader === undefined) wideReader = createWideReader();
  const reader = wideReader;
  let at = from;
  if (reader === null) {
    while (at < to && plain[source[at]!] === 1) at++;
    return at;
  }
  for (let bytesMax = firstCopyBytes; at < to; bytesMax = memoryBytes) {
    const bytes = Math.min(to - at, bytesMax);
    reader.memory.set(source.subarray(at, at + bytes));
    const run = reader.plainBytes(bytes);
    if (run < bytes) return at + run;
    at += bytes;
  }
  return to;
}

interface ReaderExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly plainBytes: (bytes: number) => number;
}

/** Not in the types of a package that knows no platform. */
interface WebAssemblyHere {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

function createWideReader(): WideReader | null {
  try {
    const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyHere }).WebAssembly;
    const { memory, plainBytes } = new Instance(new Module(Uint8Array.from(moduleBytes()))).exports as ReaderExports;
    return { memory: new Uint8Array(memory.buffer), plainBytes };
  } catch {
    return null;
  }
}

/**
 * The module, instruction by instruction (WebAssembly Core 2.0, 5):
 *
 *     plainBytes(bytes: i32) → i32
 *       for (at = 0; at < bytes; at += 16)
 *         block = memory[at..at + 16)
 *         odd = bits of (block < ' ' as signed bytes, so above 0x7f too) or (block = quote) or (block = backslash)
 *         if (odd ≠ 0) return at + trailing zeros of odd
 *       return at
 */
function moduleBytes(): number[] {
  const [i32, v128, none] = [0x7f, 0x7b, 0x40];
  const [bytes, at, block, odd] = [0, 1, 2, 3];
  const get = (local: number): number[] => [0x20, local];
  const set = (local: number): number[] => [0x21, local];
  const constant = (value: number): number[] => [0x41, ...signed(value)];
  const everywhere = (byte: number): number[] => [...constant(byte), 0xfd, 0x0f];
  const [add, notBelow, trailingZeros, or] = [[0x6a], [0x4f], [0x68], [0xfd, 0x50]];
  const [equal, below, bits, load] = [[0xfd, 0x23], [0xfd, 0x25], [0xfd, 0x64], [0xfd, 0x00, 0x00, 0x00]];
  const [returns, end] = [[0x0f], [0x0b]];
  const code = [
    0x02, none, 0x03, none,
    ...get(at), ...get(bytes), ...notBelow, 0x0d, 1,
    ...get(at), ...load, ...set(block),
    ...get(block), ...everywhere(0x20), ...below,
    ...get(block), ...everywhere(quote), ...equal, ...or,
    ...get(block), ...everywhere(backslash), ...equal, ...or,
    ...bits, 0x22, odd,
    0x04, none, ...get(at), ...get(odd), ...trailingZeros, ...add, ...returns, ...end,
    ...get(at), ...constant(16), ...add, ...set(at), 0x0c, 0,
    ...end, ...end,
    ...get(at), ...end,
  ];
  const locals = [3, 1, i32, 1, v128, 1, i32];
  const name = (text: string): number[] => [text.length, ...[...text].map((letter) => letter.charCodeAt(0))];
  const section = (kind: number, content: readonly number[]): number[] => [kind, content.length, ...content];
  return [
    0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [1, 0x60, 1, i32, 1, i32]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0x01, memoryBytes / 65_536, memoryBytes / 65_536]),
    ...section(7, [2, ...name('memory'), 0x02, 0, ...name('plainBytes'), 0x00, 0]),
    ...section(10, [1, locals.length + code.length, ...locals, ...code]),
  ];
}

/** A number from 0 to 8,191 as the format writes it. */
function signed(value: number): number[] {
  return value < 64 ? [value] : [(value & 0x7f) | 0x80, value >> 7];
}
