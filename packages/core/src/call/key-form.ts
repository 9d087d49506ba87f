/** What a service key looks like, alone and inside another text. Rule 17. */

const keyForm = /^svc_live_[0-9A-Za-z]{16,128}$/;
const withinText = /svc_live_[0-9A-Za-z]{16}/;

/** The text where it has the form of a service key: nothing else is ever hashed or looked up. */
export function keyOrNull(text: string): string | null {
  return keyForm.test(text) ? text : null;
}

/** Whether a text has a service key in it. */
export function containsServiceKey(text: string): boolean {
  return withinText.test(text);
}

/** Where clients of the different providers put their key, in lower case, in the order in which a service key is looked for. */
export const keyFields: readonly string[] = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];

/** Whether this is one of those fields, and holds a service key. */
export function holdsServiceKey(name: string, value: string): boolean {
  return containsServiceKey(value) && keyFields.includes(name.toLowerCase());
}
