/**
 * Normalizes a path for matching endpoint names. Servers differ in what they decode, merge and cut off before they look a path up, so this
 * does the most that any of them does. A path that a provider could serve as a metered operation gets that operation's name. The normalized
 * path is never forwarded: the destination gets the caller's bytes.
 */

/** One encoded byte: `%2e`, encoded over again (`%25252e`), or as some servers write it (`%u002e`). */
const encodedByte = /%(?:25)*(?:u00)?([0-9a-f]{2})/gi;
/** More coats than any client puts on. */
const coatsMax = 4;
/** Dots and slashes in overlong encodings, which strict decoders refuse and others accept, and full-width ones, which some servers normalize. */
const longDot = /\xc0\xae|\xe0\x80\xae|\xef\xbc\x8e|\xe2\x80\xa4|%uff0e|%u2024/gi;
const longSlash = /\xc0\xaf|\xe0\x80\xaf|\xc1\x9c|\xe0\x81\x9c|\xef\xbc\x8f|\xef\xbc\xbc|%uff0f|%uff3c|\\/gi;
const controlByte = /[\x00-\x1f\x7f]/;
/** What servers cut off a segment: its parameters, and a query or fragment that was encoded. */
const parameters = /[;?#]/;

/** Everything that is normalized below, except capitals: a path without any of it is already plain. */
const coated = /[%;\x80-\xff]|\/[/.]|\/$/;

/**
 * The plain spelling of `path`: decoded, in lower case, without repeated slashes, a trailing one, spaces around a segment, or
 * parameters. Null if a segment is `.` or `..` in any coat, where a control byte is encoded, or where the coats do not end.
 */
export function plainPathOf(path: string): string | null {
  if (!coated.test(path)) return path.toLowerCase();
  const decoded = decodedWhole(path);
  if (decoded === null || controlByte.test(decoded)) return null;
  let plain = '';
  for (const segment of decoded.replace(longDot, '.').replace(longSlash, '/').split('/')) {
    const end = segment.search(parameters);
    const name = (end === -1 ? segment : segment.slice(0, end)).trim();
    if (name === '.' || name === '..') return null;
    if (name !== '') plain += `/${name}`;
  }
  return plain.toLowerCase();
}

/** Every encoded byte decoded, one character a byte, until none is left. */
function decodedWhole(path: string): string | null {
  let text = path;
  for (let coats = 0; text.includes('%'); coats += 1) {
    const bare = text.replace(encodedByte, (_coat, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (bare === text) return text;
    if (coats === coatsMax) return null;
    text = bare;
  }
  return text;
}
