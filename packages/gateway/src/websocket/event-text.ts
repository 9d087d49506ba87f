/** A message as the event of a stream, for the reader of streams. */

export const eventBegin = Buffer.from('data: ', 'latin1');
export const eventEnd = Buffer.from('\n\n', 'latin1');

/** An event that names the model. */
export function eventOfModel(model: string): Buffer {
  return Buffer.concat([eventBegin, Buffer.from(JSON.stringify({ model })), eventEnd]);
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A text may have ends of lines between its tokens, where they mean nothing; in a stream they would end the event. */
export function withoutLineEnds(text: Buffer): Buffer {
  if (!text.includes(lineFeed) && !text.includes(carriageReturn)) return text;
  const copy = Buffer.from(text);
  for (let at = 0; at < copy.length; at += 1) if (copy[at] === lineFeed || copy[at] === carriageReturn) copy[at] = 0x20;
  return copy;
}
