/** How long a connection may wait for its next request after an answer. RFC 9112, 9.3; the `timeout` hint of `Keep-Alive` is common usage. */

/** A connection is given up this long before the destination closes it, by its own words: what is sent then may not arrive. */
const marginMs = 2_000;

const timeoutHint = /(?:^|,)[\t ]*timeout=(\d+)/gi;

interface AnsweredHead {
  readonly status: number;
  readonly pairs: readonly string[];
}

/** Milliseconds, at most `keepAliveMs`; 0 or less: it is not used again. */
export function idleLimitMs({ status, pairs }: AnsweredHead, keepAliveMs: number): number {
  const bodyless = status === 204 || status === 304;
  let limitMs = keepAliveMs;
  for (let at = 0; at < pairs.length; at += 2) {
    const { length } = pairs[at]!;
    if (length === 10) {
      if (pairs[at]!.toLowerCase() === 'keep-alive') limitMs = Math.min(limitMs, hintedMs(pairs[at + 1]!));
    } else if (bodyless && (length === 14 || length === 17)) {
      // It announces a body that an answer of this status has not. If it sends one, that would be taken for the next answer.
      if (announcesBody(pairs[at]!.toLowerCase(), pairs[at + 1]!)) return 0;
    }
  }
  return limitMs;
}

function announcesBody(name: string, value: string): boolean {
  return name === 'transfer-encoding' || (name === 'content-length' && !/^0+$/.test(value));
}

/** Infinity if nothing is hinted. */
function hintedMs(value: string): number {
  const seconds = [...value.matchAll(timeoutHint)].map((match) => Number(match[1]));
  return seconds.length === 0 ? Infinity : Math.min(...seconds) * 1_000 - marginMs;
}
