/**
 * What a client made of one method, one target and one list of headers, for requests that have just these: that they have no problem, and the text of
 * their head. It comes with no others. Decision 0275.
 */
export class KeptHead {
  #host = '';
  #text: string | null = null;

  /** Null: none was made for this host yet. */
  textFor(host: string): string | null {
    return this.#host === host ? this.#text : null;
  }

  /** In one piece: a text that was put together is put together again each time it is written. */
  keep(host: string, text: string): void {
    this.#host = host;
    this.#text = Buffer.from(text, 'latin1').toString('latin1');
  }
}
