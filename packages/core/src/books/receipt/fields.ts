/**
 * Fields → one text that can be read back in one way only: each field as its length in UTF-8 bytes, a colon, the text and a
 * comma; an absent one as `-,`. What receipts hash and what checkpoints sign is made of these.
 */

/** Text, or null if there is none. */
export type Field = string | null;

/** The fields one after the other. */
export function joinFields(fields: readonly Field[]): string {
  const text = joined(fields, (field) => field.length);
  // Characters below 128 are one byte each. One test of the whole is cheaper than one for each field.
  return /^[\x00-\x7f]*$/.test(text) ? text : joined(fields, utf8Length);
}

function joined(fields: readonly Field[], lengthOf: (field: string) => number): string {
  let text = '';
  for (const field of fields) text += field === null ? '-,' : `${lengthOf(field)}:${field},`;
  return text;
}

/** Bytes of the text in UTF-8; half of a surrogate pair is written as U+FFFD and counts as that. */
function utf8Length(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      length += 1;
      continue;
    }
    length += 2;
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    // A pair is two units and four bytes.
    if (next >= 0xdc00 && next <= 0xdfff) index += 1;
  }
  return length;
}
