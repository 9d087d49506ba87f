/**
 * The body of a response, as the host reads it → the parts of the answer: a JSON text, or the data of server-sent events. It takes text, or
 * bytes of UTF-8, in any pieces.
 */
import { quietly } from './look.ts';

/** A JSON text, or one event of a stream, that is longer is not read; in UTF-16 units. */
const bodyMax = 2 ** 25;

/** Reads one body. It holds what has come of a JSON text, or the last lines of a stream. */
export interface ReadingBody {
  /** Takes the next piece; never throws. */
  add(piece: unknown): void;
  /** The body has come whole. False if it could not be read; a text that is neither JSON nor a stream of events carries no usage. */
  finish(): boolean;
}

/** `take` receives each part: the whole answer, or the next event of a stream. */
export function readingBody(take: (part: unknown) => void): ReadingBody {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let data = '';
  let isJson: boolean | undefined; // undefined until the first character that is not blank
  let readable = true;
  const parse = (found: string): void => quietly(() => [JSON.parse(found)].flat().forEach((part) => take(part)));
  const readLines = (lines: readonly string[]): void => {
    for (const line of lines) {
      if (line.startsWith('data:')) data += `${line.slice(5)}\n`;
      else if (!line) {
        parse(data);
        data = '';
      }
    }
  };
  const add = (piece: unknown): void => {
    readable &&= !!quietly(() => {
      const added = typeof piece === 'string' ? piece : decoder.decode(piece as Uint8Array, { stream: !!piece });
      text += added;
      if (/\S/.test(added)) isJson ??= /^\s*[[{]/.test(text);
      if (!isJson && /[\r\n]/.test(added)) {
        const lines = text.split(/\r\n|\n|\r(?!$)/); // a carriage return at the end may go on with its line feed
        text = lines.pop()!;
        readLines(lines);
      }
      return text.length + data.length <= bodyMax && !added.includes('\0');
    });
    if (!readable) text = data = '';
  };
  return {
    add,
    finish() {
      add(undefined);
      if (isJson) parse(text);
      else readLines([...text.split('\r'), '']);
      text = data = '';
      return readable;
    },
  };
}
