/** The tap key's spelling: `svc_tap_` and 64 lower-case hexadecimal characters, 32 random bytes. Spec: Tap key. */

const tapKeyPrefix = 'svc_tap_';
/** Random bytes in a key. */
export const tapKeyBytes = 32;
/** Characters that are stored to show which key is in use. */
export const tapKeyShownLength = 12;

/** The key of 32 random bytes. */
export function tapKeyFrom(randomBytes: Uint8Array): string {
  if (randomBytes.length !== tapKeyBytes) throw new RangeError('a tap key is made of 32 random bytes');
  return tapKeyPrefix + Array.from(randomBytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What is presented in `authorization: Bearer …`; the empty text if there is no such header. */
export function presentedTapKey(authorization: string | undefined): string {
  return /^Bearer +(\S.*)$/i.exec(authorization ?? '')?.[1]?.trimEnd() ?? '';
}
