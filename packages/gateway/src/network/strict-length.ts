/**
 * A length that is followed by a tab. HTTP allows it (RFC 9110, 5.6.3) and Node's parser takes it, from its version 9.4 on; undici, with which our
 * client is compared, does not. A length is what framing hangs on, so it is refused as before. Looked for only where a head has a tab at all.
 */

const tab = 0x09;
const keptMax = 16 * 1024;
const lengthAndTab = /(?:^|\n)content-length:[\t ]*[0-9]+ *\t/i;
const interim = /^HTTP\/1\.[01] 1[0-9][0-9]/;

export class StrictLength {
  /** Bytes of heads that were not whole by the end of a read. */
  #kept = '';
  /** There were more of them than are kept. */
  #isCut = false;

  /** Bytes of a head, and whatever comes behind it, before they are parsed. True: they must not be. */
  refuses(bytes: Buffer): boolean {
    if (!bytes.includes(tab) && !this.#kept.includes('\t')) return false;
    const text = this.#kept + bytes.toString('latin1');
    if (this.#isCut) return lengthAndTab.test(text);
    for (let from = 0; ;) {
      const end = text.indexOf('\r\n\r\n', from);
      const head = text.slice(from, end < 0 ? undefined : end);
      if (lengthAndTab.test(head)) return true;
      if (end < 0 || !interim.test(head)) return false;
      from = end + 4;
    }
  }

  /** The head was not whole with these bytes. */
  keep(bytes: Buffer): void {
    const text = this.#kept + bytes.toString('latin1');
    this.#isCut ||= text.length > keptMax;
    this.#kept = text.slice(-keptMax);
  }

  /** Another answer begins. */
  clear(): void {
    this.#kept = '';
    this.#isCut = false;
  }
}
