/**
 * Takes the mask off a caller's message of one frame (RFC 6455, 5.3), in a few instructions of WebAssembly that work on 16 bytes at once. The text
 * stands in their memory, which the next message uses again: nothing is allocated. Without WebAssembly, words of four bytes are unmasked.
 */
import {
  add, constant, get, instanceOf, leaveIf, loop, below, set, wide, type FunctionCode,
} from '@metergate/core/json/wasm-code.ts';
import { longBytes } from './message.ts';

const [bytes, mask, at, masks] = [0, 1, 2, 3];

/** Unmasks so many bytes from the beginning of the memory on: at least 16, and up to the next multiple of that. */
const code: FunctionCode = {
  name: 'unmask', parameters: 2, locals: 1, wideLocals: 1,
  body: [
    set(masks, wide.ofWords(get(mask))),
    loop('next',
      wide.store(get(at), wide.exclusiveOr(wide.load(get(at)), get(masks))),
      set(at, add(get(at), constant(16))),
      leaveIf('next', below(get(at), get(bytes))),
    ),
    get(at),
  ],
};

const unmasker = instanceOf(code, longBytes);
/** What was unmasked last. */
const text = unmasker === null ? Buffer.allocUnsafeSlow(longBytes) : Buffer.from(unmasker.memory.buffer, 0, longBytes);
const words = new Int32Array(text.buffer, 0, longBytes / 4);

/** `source[from..to)`, at most `longBytes`, without its mask, which stands before it. The text begins the buffer, and is there until the next one. */
export function unmasked(source: Buffer, from: number, to: number): Buffer {
  const length = to - from;
  const maskWord = source.readInt32LE(from - 4);
  source.copy(text, 0, from, to);
  if (unmasker !== null) unmasker.run(length, maskWord);
  else for (let word = 0; word < (length + 3) >> 2; word += 1) words[word]! ^= maskWord;
  return text;
}
