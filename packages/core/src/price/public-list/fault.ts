/** What is wrong with a public price list, and where: a sentence for the operator. */
export class PublicListFault extends Error {}

type JsonObject = Readonly<Record<string, unknown>>;

/** @throws PublicListFault if the value is no object */
export function objectIn(value: unknown, where: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new PublicListFault(`${where} must be an object.`);
  return value as JsonObject;
}

/** @throws PublicListFault if the value is no array, or has more than `most` entries */
export function arrayIn(value: unknown, where: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new PublicListFault(`${where} must be an array.`);
  if (value.length > most) throw new PublicListFault(`${where} has more than ${most} entries.`);
  return value;
}

const textMax = 300;

/** @throws PublicListFault if the value is no text, empty or longer than any name */
export function textIn(value: unknown, where: string): string {
  if (typeof value !== 'string' || value === '' || value.length > textMax) {
    throw new PublicListFault(`${where} must be text of 1 to ${textMax} characters.`);
  }
  return value;
}
