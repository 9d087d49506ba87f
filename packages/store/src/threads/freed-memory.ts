/**
 * Memory that was freed, back to the system. The C library keeps what threads free for their next needs. It gives back by itself only what lies
 * behind the last piece in use, so after a burst of bodies a small object keeps hundreds of megabytes. glibc has a function that gives back all of
 * it, `malloc_trim`, and Node 26 can call it. It calls such functions by an interface that is not final: where that or the function is missing,
 * or is another one, the memory stays with the process. Decision 118.
 */

/** Of Node's interface, what is used. */
interface ForeignFunctions {
  readonly DynamicLibrary: new (path: string) => {
    getFunction(name: string, types: { readonly arguments: readonly string[]; readonly return: string }): (bytesKept: bigint) => unknown;
  };
}

/** What it depends on; given in tests. */
export interface FreedMemoryBy {
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
  if (by.system !== 'linux' || by.word !== 64) return null;
  try {
    return quietly(() => {
      const ffi = by.builtin('node:ffi') as ForeignFunctions | undefined;
      if (ffi === undefined) return null;
      const trim = new ffi.DynamicLibrary('libc.so.6').getFunction('malloc_trim', { arguments: ['u64'], return: 'i32' });
      // It is tried at once: whoever has it has seen it work.
      trim(0n);
      return () => void trim(0n);
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
