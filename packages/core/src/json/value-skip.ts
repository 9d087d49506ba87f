/**
 * Passes over a value in which nothing is watched, in chunks cut anywhere, and checks that it is JSON: most of what is scanned is such. Done by
 * WebAssembly (`value-code.ts`), on copies of the bytes. An agent's conversation takes an eighth of the time that it takes in JavaScript.
 */
import { createValueReader, expects, levelsMax, place, stopped, windowBytes, word } from './value-code.ts';
import type { WasmExports } from './wasm-code.ts';

/** Where `pass` stopped: the chunk is used up, the value has ended, it is no JSON, or it is nested deeper than is followed here. */
type PassedValue = 'more' | 'ended' | 'invalid' | 'deep';

/** Fewer bytes are not worth the call. */
export const passedBytesMin = 128;
/** Deeper ones are given back. */
export const passedLevelsMax = levelsMax;

/** What is copied at first of a chunk, since many values end within it. */
const firstCopyBytes = 1_024;
const stateWords = Object.keys(word).length;

interface Reader extends WasmExports {
  readonly state: Int32Array;
  readonly levels: Uint8Array;
}

/** Null: there is none. Undefined: nobody has asked yet. */
let reader: Reader | null | undefined;
/** The bytes that are in the memory: of this chunk, from there to there. Only while it is scanned. */
let copied: Uint8Array | null = null;
let copiedFrom = 0;
let copiedTo = 0;

/** Whether values can be passed over on this platform. */
export function canPass(): boolean {
  if (reader === undefined) reader = createReader();
  return reader !== null;
}

function createReader(): Reader | null {
  const made = createValueReader();
  if (made === null) return null;
  const { memory, run } = made;
  const state = new Int32Array(memory.buffer, place.state, stateWords);
  return { memory, run, state, levels: memory.subarray(place.levels, place.levels + levelsMax) };
}

/** What was copied may change from here on: the scanning of this chunk is over. */
export function forgetCopy(): void {
  copied = null;
}

/** Only where `canPass`. */
export class ValueSkip {
  /** Index after the last byte looked at; where it is too deep, of the byte that opens one container too many. */
  at = 0;
  /** Nothing of the value was read yet. Most values end in the chunk in which they begin, and have no state to be kept. */
  #isNew = true;
  readonly #state = new Int32Array(stateWords);
  /** Containers open within the value: 1 object, 0 array. */
  #levels = new Uint8Array(0);

  /** The next byte is the value's first one: no number and no literal. */
  begin(): void {
    this.#isNew = true;
  }

  /** Reads on in `chunk[from..to)`, which is not empty. `forgetCopy` must be called before `chunk` changes. */
  pass(chunk: Uint8Array, from: number, to: number): PassedValue {
    const { memory, run, state, levels } = reader!;
    if (this.#isNew) beginIn(state);
    else {
      state.set(this.#state);
      levels.set(this.#levels);
    }
    for (let at = from; ;) {
      if (copied !== chunk || at < copiedFrom || at >= copiedTo || copiedTo > to) copy(memory, chunk, at, to);
      const result = run(at - copiedFrom, copiedTo - copiedFrom);
      at = this.at = copiedFrom + (result >>> 2);
      switch (result & 3) {
        case stopped.ended: return 'ended';
        case stopped.invalid: return 'invalid';
        case stopped.deep:
          this.#keep(state, levels);
          return 'deep';
        default:
          if (at < to) continue;
          this.#keep(state, levels);
          return 'more';
      }
    }
  }

  #keep(state: Int32Array, levels: Uint8Array): void {
    this.#isNew = false;
    this.#state.set(state);
    this.#levels = levels.slice(0, state[word.depth]);
  }

  /** Where it was too deep: the containers that are open within the value, outermost first. */
  get openContainers(): readonly ('object' | 'array')[] {
    return Array.from(this.#levels, (level) => (level === 1 ? 'object' : 'array'));
  }

  /** Where it was too deep: an array may end in place of the container that opens. */
  get isFirstElement(): boolean {
    return this.#state[word.expecting] === expects.elementOrEnd;
  }
}

function beginIn(state: Int32Array): void {
  for (let at = 0; at < stateWords; at += 1) state[at] = 0;
  state[word.expecting] = expects.value;
}

function copy(memory: Uint8Array, chunk: Uint8Array, from: number, to: number): void {
  const bytes = Math.min(to - from, copied === chunk ? windowBytes : firstCopyBytes);
  memory.set(chunk.subarray(from, from + bytes));
  copied = chunk;
  copiedFrom = from;
  copiedTo = from + bytes;
}
