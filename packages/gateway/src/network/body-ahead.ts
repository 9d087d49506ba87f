/** How long a body is by the head of its answer, which the parser has taken: it refuses a head with two lengths, or with one beside chunks. */

const digits = /^[0-9]{1,15}$/;

const isBodyless = (method: string, status: number): boolean => method === 'HEAD' || status === 204 || status === 304;

/** Bytes of the body that follows this head; 0 if there is none, or if its end is marked in another way. RFC 9112, 6.3. */
export function bodyBytesAhead(method: string, status: number, pairs: readonly string[]): number {
  if (isBodyless(method, status)) return 0;
  for (let at = 0; at < pairs.length; at += 2) {
    if (pairs[at]!.length !== 14 || pairs[at]!.toLowerCase() !== 'content-length') continue;
    return digits.test(pairs[at + 1]!) ? Number(pairs[at + 1]) : 0;
  }
  return 0;
}

/** Whether a body in chunks follows this head, and no other coding is on it. */
export function isPlainlyChunked(method: string, status: number, pairs: readonly string[]): boolean {
  if (isBodyless(method, status)) return false;
  let isChunked = false;
  for (let at = 0; at < pairs.length; at += 2) {
    if (pairs[at]!.length !== 17 || pairs[at]!.toLowerCase() !== 'transfer-encoding') continue;
    if (isChunked || pairs[at + 1]!.toLowerCase() !== 'chunked') return false;
    isChunked = true;
  }
  return isChunked;
}

/** The bytes `[from..to)`, which stay as they are when the next ones come in where these are. */
export function copied(bytes: Buffer, from: number, to: number): Buffer {
  const copy = Buffer.allocUnsafe(to - from);
  bytes.copy(copy, 0, from, to);
  return copy;
}
