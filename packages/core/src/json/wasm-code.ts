/**
 * Writes small modules of WebAssembly as instructions (WebAssembly Core 2.0, 5): an expression holds its operands, and a branch names the block
 * that it leaves or the loop that it repeats. Only what the readers of JSON and of WebSocket messages need.
 */

/** Instructions; `labels`: the blocks around them, innermost first. */
export type Code = (labels: readonly string[]) => readonly number[];

const [i32, i64, v128, none] = [0x7f, 0x7e, 0x7b, 0x40];

const written = (bytes: readonly number[]) => (...operands: readonly Code[]): Code =>
  (labels) => [...operands.flatMap((operand) => operand(labels)), ...bytes];

export const get = (local: number): Code => () => [0x20, local];
export const set = (local: number, value: Code): Code => written([0x21, local])(value);
export const constant = (value: number): Code => () => [0x41, ...signed(value)];
export const add = written([0x6a]);
export const subtract = written([0x6b]);
export const and = written([0x71]);
export const or = written([0x72]);
export const exclusiveOr = written([0x73]);
export const shiftLeft = written([0x74]);
/** Fills with zeros. */
export const shiftRight = written([0x76]);
export const equal = written([0x46]);
export const isZero = written([0x45]);
/** Unsigned. */
export const below = written([0x49]);
export const above = written([0x4b]);
export const notBelow = written([0x4f]);
export const trailingZeros = written([0x68]);
/** One byte, two, or four, at an address and so many bytes behind it; the first byte is the lowest. */
export const loadByte = (address: Code, behind = 0): Code => written([0x2d, 0, ...unsigned(behind)])(address);
export const loadPair = (address: Code): Code => written([0x2f, 0, 0])(address);
export const loadWord = (address: Code, behind = 0): Code => written([0x28, 2, ...unsigned(behind)])(address);
export const storeByte = (address: Code, behind: number, value: Code): Code => written([0x3a, 0, ...unsigned(behind)])(address, value);
export const storeWord = (address: Code, behind: number, value: Code): Code => written([0x36, 2, ...unsigned(behind)])(address, value);
/** Whole numbers of 64 bits. */
export const long = {
  constant: (value: bigint): Code => () => [0x42, ...signedLong(BigInt.asIntN(64, value))],
  add: written([0x7c]),
  and: written([0x83]),
  or: written([0x84]),
  exclusiveOr: written([0x85]),
  shiftLeft: written([0x86]),
  /** Fills with zeros. */
  shiftRight: written([0x88]),
  isZero: written([0x50]),
  /** Unsigned. */
  below: written([0x54]),
  trailingZeros: written([0x7a]),
  /** From a whole number of 32 bits, unsigned. */
  of: written([0xad]),
  /** The lower 32 bits. */
  lower: written([0xa7]),
} as const;
/** Of 16 bytes at once. */
export const wide = {
  /** How many bytes behind the address. */
  load: (address: Code, behind = 0): Code => written([0xfd, 0x00, 0, ...unsigned(behind)])(address),
  store: (address: Code, value: Code): Code => written([0xfd, 0x0b, 0, 0])(address, value),
  /** This word four times. */
  ofWords: written([0xfd, 0x11]),
  /** This byte 16 times. */
  all: (byte: number): Code => written([0xfd, 0x0f])(constant(byte)),
  /** These 16 bytes. */
  constant: (bytes: readonly number[]): Code => () => [0xfd, 0x0c, ...bytes],
  equal: written([0xfd, 0x23]),
  /** As signed bytes. */
  below: written([0xfd, 0x25]),
  and: written([0xfd, 0x4e]),
  or: written([0xfd, 0x50]),
  exclusiveOr: written([0xfd, 0x51]),
  /** Whether any bit is set. */
  isAny: written([0xfd, 0x53]),
  /** As unsigned bytes; 0 where it would be less. */
  subtract: written([0xfd, 0x73]),
  /** The last `count` bytes of the first, and then the second without its own last ones. */
  behind: (count: number, first: Code, second: Code): Code =>
    written([0xfd, 0x0d, ...Array.from({ length: 16 }, (_, at) => 16 - count + at)])(first, second),
  /** Each byte of the second is replaced by the one of the first that it numbers. */
  lookedUp: written([0xfd, 0x0e]),
  /** Each byte by itself; fills with zeros. */
  shiftRight: written([0xfd, 0x6d]),
  /** One bit for each byte, its highest. */
  bits: written([0xfd, 0x64]),
} as const;

const inside = (open: readonly number[], label: string, body: readonly Code[]): Code =>
  (labels) => [...open, ...body.flatMap((code) => code([label, ...labels])), 0x0b];

/** `leave(label)` goes behind it. */
export const block = (label: string, ...body: readonly Code[]): Code => inside([0x02, none], label, body);
/** `leave(label)` repeats it. */
export const loop = (label: string, ...body: readonly Code[]): Code => inside([0x03, none], label, body);
export const when = (condition: Code, ...then: readonly Code[]): Code =>
  (labels) => [...condition(labels), ...inside([0x04, none], '', then)(labels)];
export const leave = (label: string): Code => (labels) => [0x0c, depthOf(label, labels)];
export const leaveIf = (label: string, condition: Code): Code => (labels) => [...condition(labels), 0x0d, depthOf(label, labels)];
/** Leaves the block of that number. */
export const leaveOneOf = (choices: readonly string[], choice: Code): Code => (labels) =>
  [...choice(labels), 0x0e, choices.length - 1, ...choices.map((label) => depthOf(label, labels))];

function depthOf(label: string, labels: readonly string[]): number {
  const depth = labels.indexOf(label);
  if (depth === -1) throw new Error(`There is no block ${label} around this instruction.`);
  return depth;
}

/** A module's only function: so many whole numbers in, one out, which `body` leaves behind as its last value. */
export interface FunctionCode {
  readonly name: string;
  readonly parameters: number;
  /** Further whole numbers, then so many of 64 bits, and then so many of 16 bytes. */
  readonly locals: number;
  readonly longLocals?: number;
  readonly wideLocals: number;
  readonly body: readonly Code[];
}

const pageBytes = 65_536;

/** What an instance of a module exports. */
export interface WasmExports {
  readonly memory: Uint8Array;
  readonly run: (...parameters: number[]) => number;
}

/** Not in the types of a package that knows no platform. */
interface WebAssemblyHere {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/** An instance with so much memory; null where this platform has no WebAssembly, or not all of these instructions. */
export function instanceOf(code: FunctionCode, memoryBytes: number): WasmExports | null {
  try {
    const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyHere }).WebAssembly;
    const { exports } = new Instance(new Module(Uint8Array.from(moduleBytes(code, memoryBytes))));
    const { memory, [code.name]: run } = exports as { memory: { buffer: ArrayBuffer } } & Record<string, WasmExports['run']>;
    return { memory: new Uint8Array(memory.buffer), run: run! };
  } catch {
    return null;
  }
}

function moduleBytes({ name, parameters, locals, longLocals = 0, wideLocals, body }: FunctionCode, memoryBytes: number): number[] {
  const pages = Math.ceil(memoryBytes / pageBytes);
  const text = (letters: string): number[] => [letters.length, ...[...letters].map((letter) => letter.charCodeAt(0))];
  const sized = (content: readonly number[]): number[] => [...unsigned(content.length), ...content];
  const section = (kind: number, content: readonly number[]): number[] => [kind, ...sized(content)];
  const code = [3, locals, i32, longLocals, i64, wideLocals, v128, ...body.flatMap((each) => each([])), 0x0b];
  return [
    0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [1, 0x60, parameters, ...new Array<number>(parameters).fill(i32), 1, i32]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0x01, pages, pages]),
    ...section(7, [2, ...text('memory'), 0x02, 0, ...text(name), 0x00, 0]),
    ...section(10, [1, ...sized(code)]),
  ];
}

/** A whole number from 0, as the format encodes it. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  return value >= -64 && value < 64 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}

function signedLong(value: bigint): number[] {
  return value >= -64n && value < 64n ? [Number(value & 0x7fn)] : [Number(value & 0x7fn) | 0x80, ...signedLong(value >> 7n)];
}
