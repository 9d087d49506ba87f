/**
 * Memory that was freed, back to the system. The C library keeps what threads free for their next needs. It gives back by itself only what lies
 * behind the last piece in use, so after a burst of bodies a small object keeps hundreds of megabytes. glibc has functions for both sides of that:
 * `mallopt` has long pieces taken from the system and given back to it one by one, `malloc_trim` gives back all that is free. Node 26 can call them.
 * It calls such functions by an interface that is not final: where that or a function is missing, or is another one, memory stays with the process.
 * Decision 118.
 */

type Called = (...given: (number | bigint)[]) => unknown;

/** Of Node's interface, what is used. */
interface ForeignFunctions {
  readonly DynamicLibrary: new (path: string) => {
    getFunction(name: string, types: { readonly arguments: readonly string[]; readonly return: string }): Called;
  };
}

/** What it depends on; given in tests. */
interface FreedMemoryBy {
  readonly system: string;
  readonly word: 32 | 64;
  readonly builtin: (name: string) => unknown;
}

const words64: ReadonlySet<string> = new Set(['x64', 'arm64', 'ppc64', 'riscv64', 's390x', 'loong64']);
const byThisProcess: FreedMemoryBy = {
  system: process.platform, word: words64.has(process.arch) ? 64 : 32, builtin: (name) => process.getBuiltinModule(name as 'node:os'),
};

/**
 * Finds what gives freed memory of all threads back to the system. Calling it takes some 10 ms for 200 MB, in which threads that need memory may
 * wait for it. Null: there is no such thing here. Never throws.
 */
export function findGiveBack(by: FreedMemoryBy = byThisProcess): (() => void) | null {
  return useFunction(by, { name: 'malloc_trim', given: ['u64'] }, (trim) => {
    // It is tried at once: whoever has it has seen it work.
    trim(0n);
    return () => void trim(0n);
  });
}

/** Its number in glibc. */
const mmapThreshold = -3;
/** Less than 64 KiB by what the C library adds to each: pieces of bodies are that long, and little else is. */
export const longPieceBytes = 64 * 1024 - 16;

/**
 * From now on each long piece that a thread of this process needs is taken from the system by itself, and goes back when it is freed. That costs some
 * microseconds, so it is for processes that use such pieces again. False: not possible on this system. Never throws.
 */
export function giveBackLongPieces(by: FreedMemoryBy = byThisProcess): boolean {
  return useFunction(by, { name: 'mallopt', given: ['i32', 'i32'] }, (set) => set(mmapThreshold, longPieceBytes) === 1) ?? false;
}

interface NamedFunction {
  readonly name: string;
  /** The types of what it is given; it returns an `int`. */
  readonly given: readonly string[];
}

/** What `use` makes of a function of the C library; null where there is none, or it fails. */
function useFunction<Result>(
  { system, word, builtin }: FreedMemoryBy, { name, given }: NamedFunction, use: (called: Called) => Result,
): Result | null {
  if (system !== 'linux' || word !== 64) return null;
  try {
    return quietly(() => {
      const ffi = builtin('node:ffi') as ForeignFunctions | undefined;
      return ffi === undefined ? null : use(new ffi.DynamicLibrary('libc.so.6').getFunction(name, { arguments: given, return: 'i32' }));
    });
  } catch {
    return null;
  }
}

/** Node says once to standard error that the interface is not final. Operators cannot do anything about that. */
function quietly<Result>(find: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return find();
  } finally {
    process.emitWarning = emitWarning;
  }
}
