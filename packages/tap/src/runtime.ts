/**
 * What the tap takes of the runtime it lives in, captured when the package is loaded: what a host patches later is not met.
 * Every part may be missing (edge runtimes) or refuse; nothing here throws but `uuid` and the clocks, whose callers catch.
 * Functions are kept as plain values: some runtimes refuse `fetch` and timers that are called as methods of another object.
 */

/** Ends a timer; harmless when it has run. */
export type Cancel = () => void;

const scope = globalThis as Partial<typeof globalThis> & { readonly Deno?: { unrefTimer?(id: unknown): void } };
const nativeSetTimeout = scope.setTimeout;
const nativeClearTimeout = scope.clearTimeout;
const nativeNow = scope.Date?.now;
const nativeRandom = Math.random;
const nativeRandomUuid = bound<() => string>(scope.crypto, 'randomUUID');
const nativeMonotonic = bound<() => number>(scope.performance, 'now');
const nativeConsoleError = bound<(line: string) => void>(scope.console, 'error');

let linesUnderWay = 0;
const ignoreError = (): void => undefined;

/** Node's own `process`, or what stands for it; undefined where there is none. */
export const hostProcess: NodeJS.Process | undefined = scope.process;

/** A Node (20.16 and later) whose own modules can be had without an import. */
export const isNode = typeof hostProcess?.getBuiltinModule === 'function' && !!hostProcess.versions?.node
  && !hostProcess.versions['bun'] && !hostProcess.versions['deno'];

/** Wall time, milliseconds since the epoch. */
export function wallMs(): number {
  return nativeNow!();
}

/** False where the host has replaced the clock since. */
export function clockIsOwn(): boolean {
  return scope.Date?.now === nativeNow;
}

/** Monotonic time in milliseconds; wall time where there is no monotonic clock. */
export function monotonicMs(): number {
  return nativeMonotonic === undefined ? wallMs() : nativeMonotonic();
}

/** A version 4 UUID; of the ordinary random source where there is no better one. It tells events apart and keeps no secret. */
export function uuid(): string {
  if (nativeRandomUuid !== undefined) return nativeRandomUuid();
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, () => ((nativeRandom() * 16) | 0).toString(16));
}

/** Runs once after a time. Does not keep the process alive. */
export function after(delayMs: number, run: () => void): Cancel {
  return timer(delayMs, run, (handle) => {
    if (typeof handle === 'object') (handle as { unref?(): void } | null)?.unref?.();
    else scope.Deno?.unrefTimer?.(handle);
  });
}

/** Runs once after a time and keeps the process alive till then. */
export function hold(delayMs: number, run: () => void): Cancel {
  return timer(delayMs, run, () => undefined);
}

/** Prints one line on stderr; where there is no stderr, on the console. A stderr that is closed or patched is left alone. */
export function print(line: string): void {
  try {
    const stderr = hostProcess?.stderr;
    if (typeof stderr?.write !== 'function') return nativeConsoleError?.(line);
    // An error of a stream that nobody listens to ends the process: it is heard for the time of this write. It comes after the callback.
    if (linesUnderWay === 0) stderr.on('error', ignoreError);
    linesUnderWay += 1;
    stderr.write(`${line}\n`, (error) => {
      linesUnderWay -= 1;
      if (linesUnderWay === 0 && !error) stderr.removeListener('error', ignoreError);
    });
  } catch {
    // Whoever cannot be told is not harmed either.
  }
}

function timer(delayMs: number, run: () => void, settle: (handle: unknown) => void): Cancel {
  try {
    const handle = nativeSetTimeout!(() => {
      try {
        run();
      } catch {
        // Nothing that runs here may end the host.
      }
    }, delayMs);
    settle(handle);
    return () => nativeClearTimeout?.(handle);
  } catch {
    return () => undefined;
  }
}

function bound<Method>(owner: object | undefined, name: string): Method | undefined {
  try {
    const method: unknown = (owner as Record<string, unknown> | undefined)?.[name];
    return typeof method === 'function' ? (method.bind(owner) as Method) : undefined;
  } catch {
    return undefined;
  }
}
