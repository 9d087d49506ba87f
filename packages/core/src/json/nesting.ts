/**
 * The open containers of a JSON text, one bit each, so that a text of a million brackets costs 125 KB and no stack.
 * Beyond 16 Mi levels (2 MiB) it refuses to go on.
 */

/** The deepest nesting that is followed. */
export const nestingMax = 16 * 1024 * 1024;

/** A stack of bits: 1 object, 0 array. */
export class Nesting {
  depth = 0;
  /** The innermost open container is an object; meaningless at depth 0. */
  inObject = false;
  private bits = new Uint8Array(8);

  /** Opens a container; false where that is deeper than is followed. */
  open(object: boolean): boolean {
    const depth = this.depth;
    if (depth === nestingMax) return false;
    const index = depth >> 3;
    if (index === this.bits.length) this.grow();
    const mask = 1 << (depth & 7);
    this.bits[index] = object ? this.bits[index]! | mask : this.bits[index]! & ~mask;
    this.depth = depth + 1;
    this.inObject = object;
    return true;
  }

  /** Closes the innermost container. */
  close(): void {
    const outer = --this.depth - 1;
    this.inObject = outer >= 0 && ((this.bits[outer >> 3]! >> (outer & 7)) & 1) === 1;
  }

  /** As new. */
  clear(): void {
    this.depth = 0;
    this.inObject = false;
  }

  private grow(): void {
    const grown = new Uint8Array(this.bits.length * 2);
    grown.set(this.bits);
    this.bits = grown;
  }
}
