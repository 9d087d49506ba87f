/** A chosen export as text: unpacked if it is gzip, as clouds write their reports, and out of UTF-16, as spreadsheet programs write theirs. */

export async function billText(file: Blob): Promise<string> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (first === 0x1f && second === 0x8b) return decoded(await unpacked(file));
  return decoded(await file.arrayBuffer());
}

/** More than a request takes: what is larger is refused there, in a sentence. Bytes. */
const unpackedMax = 20 << 20;

/** As far as it can be unpacked. What is damaged is refused by the platform: it is no export then. */
async function unpacked(file: Blob): Promise<ArrayBuffer> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  try {
    for (let read = await reader.read(); !read.done && length < unpackedMax; read = await reader.read()) {
      pieces.push(read.value);
      length += read.value.length;
    }
    await reader.cancel();
  } catch {
    return file.arrayBuffer();
  }
  return new Blob(pieces).arrayBuffer();
}

function decoded(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  const utf16 = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(utf16).decode(bytes);
}
