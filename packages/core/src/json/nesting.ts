/**
 * The open containers of a JSON text, one bit each, so that a text of a million brackets costs 125 KB and no stack.
 * Beyond 16 Mi levels (2 MiB) it stops with a refusal.
 */

/** The deepest nesting that is followed. */
export const nestingMax = 16 * 1024 * 1024;

/** How many containers one small integer has a bit for. */
const outerMax = 30;

/** A stack of bits: 1 object, 0 array. */
export class Nesting {
  depth = 0;
  /** The innermost open container is an object; meaningless at depth 0. */
  inObject = false;
  /** The outermost containers: few texts have more. */
  #outer = 0;
  /** Those further in; null until there are any. */
  #bits: Uint8Array | null = null;

  /** Opens a container; false if that is deeper than is followed. */
  open(object: boolean): boolean {
    const depth = this.depth;
    if (depth === nestingMax) return false;
    if (depth < outerMax) this.#outer = object ? this.#outer | (1 << depth) : this.#outer & ~(1 << depth);
    else this.#noteInner(depth - outerMax, object);
    this.depth = depth + 1;
    this.inObject = object;
    return true;
  }

  /** Closes the innermost container. */
  close(): void {
    const outer = --this.depth - 1;
    if (outer < outerMax) this.inObject = outer >= 0 && ((this.#outer >> outer) & 1) === 1;
    else this.inObject = ((this.#bits![(outer - outerMax) >> 3]! >> ((outer - outerMax) & 7)) & 1) === 1;
  }

  /** As new. */
  clear(): void {
    this.depth = 0;
    this.inObject = false;
  }

  #noteInner(at: number, object: boolean): void {
    const index = at >> 3;
    const mask = 1 << (at & 7);
    const bits = this.#bits === null || index === this.#bits.length ? this.#grown() : this.#bits;
    bits[index] = object ? bits[index]! | mask : bits[index]! & ~mask;
  }

  #grown(): Uint8Array {
    const grown = new Uint8Array(this.#bits === null ? 8 : this.#bits.length * 2);
    if (this.#bits !== null) grown.set(this.#bits);
    this.#bits = grown;
    return grown;
  }
}
