/** Which of 16 bytes do not stand for themselves in a JSON string, as instructions of WebAssembly. */
import { get, set, wide, type Code } from './wasm-code.ts';

const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;

/** One bit for each of the 16 bytes at `address`: it is a quote, a backslash, a control or no ASCII. Leaves the bytes in `block`. */
export function oddBytes(block: number, address: Code): Code {
  const load = set(block, wide.load(address));
  const bits = wide.bits(wide.or(
    // As signed bytes, those above 0x7f are below the space too.
    wide.or(wide.below(get(block), wide.all(space)), wide.equal(get(block), wide.all(quote))),
    wide.equal(get(block), wide.all(backslash)),
  ));
  return (labels) => [...load(labels), ...bits(labels)];
}
