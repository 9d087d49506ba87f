/**
 * Every sentence this package prints, each one line on stderr. None holds a key, an endpoint or anything of a call.
 */

export const notices = {
  noKey: 'no tap key, so nothing is reported. Set SVC_TAP_KEY, or SVC_TAP_INSPECT=1 to see what would be sent.',
  badEndpoint: 'the endpoint is no plain http or https URL, so nothing is reported. See SVC_TAP_ENDPOINT.',
  notObserved: 'this client has no call that can be observed, so nothing is reported.',
  inspect: 'inspect mode: each batch is printed, nothing is sent.',
  inspectDespiteKey: 'inspect mode goes before the configured key: each batch is printed, nothing is sent or reaches the Baseline.',
  closed: 'this Baseline has closed. Reporting stopped; it resumes by itself when the key is admitted again.',
  retired: 'the tap was ended for this key. Reporting stopped for this process.',
  keyNotAccepted: 'the tap key was not accepted three times. Reporting stopped for this process.',
} as const;

export type Notice = keyof typeof notices;

/** The line of a notice, without its end. */
export function noticeLine(notice: Notice): string {
  return `metergate-tap: ${notices[notice]}`;
}
