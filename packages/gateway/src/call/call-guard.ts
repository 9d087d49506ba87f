/**
 * Runs the callbacks of one call, so that a throw in our code ends that call and nothing else. After the first fault no further callback
 * runs, except the steps that end the call. Each of those runs on its own, so that one failure does not stop the others. A callback that does
 * not throw costs one function call and a `try`.
 */
import type { FaultPlace, Faults } from '../node/faults.ts';
import type { ExchangeFault, ExchangeObserver } from '../network/destination.ts';

/** A call that a fault can end. */
export interface BreakableCall {
  /** Runs once, after the first fault. Each step of the end is run with `guard.contain`. */
  endBroken(guard: CallGuard): void;
}

export class CallGuard {
  readonly #faults: Faults;
  readonly #call: BreakableCall;
  #broken = false;

  constructor(faults: Faults, call: BreakableCall) {
    this.#faults = faults;
    this.#call = call;
  }

  /** Runs `step`, unless the call has broken. Never throws. */
  run(place: FaultPlace, step: () => void): void {
    if (this.#broken) return;
    try {
      step();
    } catch (cause) {
      this.broke(place, cause);
    }
  }

  /** Ends the call for this fault. Never throws. */
  broke(place: FaultPlace, cause: unknown): void {
    this.#faults.note(place, cause);
    if (this.#broken) return;
    this.#broken = true;
    this.contain(() => this.#call.endBroken(this));
  }

  /** Runs one step of an end that a fault began. What it throws is counted. */
  contain(step: () => void): void {
    try {
      step();
    } catch (cause) {
      this.#faults.note('clean-up', cause);
    }
  }

  /** True from the first fault on. */
  get broken(): boolean {
    return this.#broken;
  }
}

/** An observer whose faults end its call; after the first it is not called again. */
export class GuardedObserver implements ExchangeObserver {
  readonly #guard: CallGuard;
  readonly #inner: ExchangeObserver;

  constructor(guard: CallGuard, inner: ExchangeObserver) {
    this.#guard = guard;
    this.#inner = inner;
  }

  head(status: number, reason: string, headers: string[]): void {
    if (this.#guard.broken) return;
    try {
      this.#inner.head(status, reason, headers);
    } catch (cause) {
      this.#guard.broke('head', cause);
    }
  }

  data(chunk: Buffer, cameIn?: Buffer): void {
    if (this.#guard.broken) return;
    try {
      this.#inner.data(chunk, cameIn);
    } catch (cause) {
      this.#guard.broke('data', cause);
    }
  }

  end(): void {
    if (this.#guard.broken) return;
    try {
      this.#inner.end();
    } catch (cause) {
      this.#guard.broke('end', cause);
    }
  }

  failed(fault: ExchangeFault): void {
    if (this.#guard.broken) return;
    try {
      this.#inner.failed(fault);
    } catch (cause) {
      this.#guard.broke('failure', cause);
    }
  }
}
