/** A JSON file with one row of its list on each line, as the platform sends long lists → its rows. */
import { doInPieces } from './pieces.ts';

/**
 * Reads it as it comes, in pieces, so that the page answers meanwhile. However it ends, nothing more of the file is read then.
 * @throws SyntaxError if a line is no row with a comma, Error if the file ends early, and the signal's reason once it is aborted.
 */
export async function rowsByLine<Row>(file: ReadableStream<Uint8Array<ArrayBuffer>>, signal?: AbortSignal): Promise<readonly Row[]> {
  const reader = file.pipeThrough(new TextDecoderStream()).getReader();
  const rows: Row[] = [];
  let rest = '';
  try {
    for (let got = await reader.read(); !got.done; got = await reader.read()) {
      signal?.throwIfAborted();
      const lines = (rest + got.value).split('\n');
      rest = lines.pop()!;
      await doInPieces(eachRow(lines, rows), signal);
    }
  } finally {
    // Of a file that failed, it fails with the same fault.
    void reader.cancel().catch(() => undefined);
  }
  if (rest === ']') return rows;
  // A list on one line, such as an empty one.
  const all: unknown = rows.length === 0 ? JSON.parse(rest) : null;
  if (!Array.isArray(all)) throw new Error('The file ended before its last row.');
  return all as readonly Row[];
}

function* eachRow<Row>(lines: readonly string[], into: Row[]): Generator<void> {
  for (const line of lines) {
    if (line === '[') continue;
    into.push(JSON.parse(line.replace(/,$/, '')) as Row);
    yield;
  }
}
