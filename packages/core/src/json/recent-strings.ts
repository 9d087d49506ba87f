/**
 * JSON strings as bytes → text, remembered for the next time: models, finish reasons and types of events repeat from event to event and from
 * call to call. What is remembered allocates nothing, and all readers share one text of it.
 */

const backslash = 0x5c;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Longer strings are not remembered. Bytes. */
const rememberedBytesMax = 64;
/** A power of two. */
const placesCount = 256;
/** Each text has one place, which the next one of that place takes over. */
const remembered: string[] = new Array<string>(placesCount).fill('');

/** The string as JavaScript reads it, from its raw bytes between the quotes, `source[from..to)`, which must be valid. */
export function recentString(source: Uint8Array, from: number, to: number): string {
  const length = to - from;
  if (length === 0) return '';
  if (length > rememberedBytesMax) return unescaped(source.subarray(from, to));
  const place = (length * 31 + source[from]! * 7 + source[from + (length >> 1)]! * 17 + source[to - 1]! * 5) & (placesCount - 1);
  const recent = remembered[place]!;
  if (isAt(recent, source, from, length)) return recent;
  const text = unescaped(source.subarray(from, to));
  // Only what is written as it reads, ASCII without escapes, can be compared byte by byte.
  if (isAt(text, source, from, length)) remembered[place] = text;
  return text;
}

/** The text of a JSON string from its raw bytes between the quotes, which must be valid. */
export function unescaped(raw: Uint8Array): string {
  const text = decoder.decode(raw);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

function isAt(text: string, source: Uint8Array, from: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let at = 0; at < length; at++) {
    const byte = source[from + at]!;
    if (byte !== text.charCodeAt(at) || byte === backslash || byte >= 0x80) return false;
  }
  return true;
}
