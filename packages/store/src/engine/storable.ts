/**
 * Text as both engines keep it: PostgreSQL takes no NUL.
 */

/** The text as both engines keep it. */
export function storable(value: string): string {
  return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}
