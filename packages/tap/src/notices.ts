/**
 * Every sentence this package prints, each one line on stderr. None holds a key, an endpoint or anything of a call.
 */

export const notices = {
  noKey: 'no tap key: nothing is reported. Set SVC_TAP_KEY, or SVC_TAP_INSPECT=1 to see what would be sent.',
  badEndpoint: 'SVC_TAP_ENDPOINT is no plain http or https URL: nothing is reported.',
  notObserved: 'this client has no call that can be observed.',
  inspect: 'inspect mode: batches are printed, nothing is sent.',
  inspectDespiteKey: 'inspect mode, despite the key: batches are printed, nothing reaches the Baseline.',
  closed: 'the Baseline has closed: reporting stopped. It resumes by itself when the key is admitted again.',
  retired: 'the tap has ended for this key: reporting stopped.',
  keyNotAccepted: 'the tap key was not accepted three times: reporting stopped.',
} as const;

export type Notice = keyof typeof notices;

/** The line of a notice, without its end. */
export function noticeLine(notice: Notice): string {
  return `metergate-tap: ${notices[notice]}`;
}
