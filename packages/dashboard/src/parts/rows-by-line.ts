/** A JSON file with one row of its list on each line, as the platform sends long lists → its rows. */
import { doInPieces } from './pieces.ts';

/**
 * Reads it as it comes, in pieces, so that the page answers meanwhile.
 * @throws SyntaxError if a line is no row with a comma, and Error if the file ends early.
 */
export async function rowsByLine<Row>(file: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<readonly Row[]> {
  const reader = file.pipeThrough(new TextDecoderStream()).getReader();
  const rows: Row[] = [];
  let rest = '';
  for (let got = await reader.read(); !got.done; got = await reader.read()) {
    const lines = (rest + got.value).split('\n');
    rest = lines.pop()!;
    await doInPieces(eachRow(lines, rows));
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
