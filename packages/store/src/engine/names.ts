/**
 * Names that people give: which ones the store keeps, exactly as written, and which it refuses.
 * Control characters would reach terminals and logs; half a surrogate pair cannot be kept as UTF-8.
 */
import { charactersIn, projectCharactersMax } from '@metergate/core/call/labels.ts';
import { refuse, type StoreRefusal } from './refusal.ts';

/** Code points in a name, unless something else bounds it. */
export const nameCharactersMax = 200;

/** Marks that turn the direction of what stands beside them: a name with one reads as another, wherever it is shown. */
const turnsText = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Invisible text: only format characters, fillers and blanks. */
function isUnseen(value: string): boolean {
  return /^[\p{Cf}\p{Z}\p{Mn}\u115f\u1160\u2800\u3164\uffa0]*$/u.test(value);
}

/** Why `value` cannot be kept as `what` (`An organization name`), or null. Characters are code points, as in a call's headers. */
export function nameRefusal(what: string, value: string, charactersMax: number = nameCharactersMax): StoreRefusal | null {
  const fits = value !== '' && charactersIn(value) <= charactersMax && value.trim() === value && value.isWellFormed()
    && !/[\u0000-\u001f\u007f-\u009f]/.test(value) && !isUnseen(value) && !turnsText.test(value);
  return fits ? null
    : refuse('invalid_name', `${what} has 1 to ${charactersMax} characters, no control characters or marks that turn text, `
      + 'and no space at its start or end; something of it must show.');
}

/** Why `value` cannot be the project of a key or a cap, or null. */
export function projectRefusal(value: string): StoreRefusal | null {
  return nameRefusal('A project', value, projectCharactersMax);
}

/** Why `value` cannot be sent as a credential in a header, or null. */
export function credentialRefusal(what: string, value: string): StoreRefusal | null {
  return /^[\x21-\x7e]{1,8192}$/.test(value) ? null
    : refuse('invalid_credential', `${what} has 1 to 8192 visible ASCII characters and no spaces.`);
}
