/**
 * JSON bytes → how much `JSON.parse` would build of them. A few bytes make an object that takes a hundred, so a text is bounded by its values before
 * it is parsed, and not by its length alone. It walks the bytes once and builds nothing.
 */

interface JsonExtent {
  /** At least as many as there are: every member and element, and every object and list. Text that is no JSON has some number too. */
  readonly values: number;
  /** How deep objects and lists stand in each other. */
  readonly depth: number;
}

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d] as const;

/** Stops counting once there are more than `valuesMax`. */
export function jsonExtent(bytes: Uint8Array, valuesMax: number): JsonExtent {
  let values = 1;
  let open = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length && values <= valuesMax; at += 1) {
    switch (bytes[at]) {
      case quote:
        for (at += 1; at < bytes.length && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1;
        break;
      case comma:
        values += 1;
        break;
      case openList: case openObject:
        values += 1;
        open += 1;
        if (open > depth) depth = open;
        break;
      case closeList: case closeObject:
        open -= 1;
        break;
      default:
    }
  }
  return { values, depth };
}
