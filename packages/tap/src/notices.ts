/** Every sentence this package prints, each one line on stderr. None contains a key, an endpoint or anything about a call. */

const stopped = 'reporting stopped.';
const nothing = 'nothing is reported.';

export const noKey = `no tap key: ${nothing} Set SVC_TAP_KEY, or SVC_TAP_INSPECT=1 to see what would be sent.`;
export const badEndpoint = `SVC_TAP_ENDPOINT is no plain http or https URL: ${nothing}`;
export const cannotPost = `this runtime has no sockets to post by: ${nothing}`;
export const notObserved = 'this client has no call to observe.';
export const inspect = 'inspect mode: batches are printed, nothing is sent.';
export const inspectDespiteKey = `${inspect} The key is left aside.`;
export const closed = `the Baseline has closed: ${stopped} It resumes by itself.`;
export const retired = `the tap has ended for this key: ${stopped}`;
const refused = 'the tap key was not accepted';
export const keyRefusedAtEnd = `${refused}: the last calls are not reported.`;
export const keyNotAccepted = `${refused} three times: ${stopped}`;

/** The line of a notice, without its line end. */
export function noticeLine(notice: string): string {
  return `metergate-tap: ${notice}`;
}
