/**
 * Every sentence this package prints, each one line on stderr. None holds a key, an endpoint or anything of a call.
 */

export const notices = {
  noKey: 'no tap key is configured, so nothing is reported. Set SVC_TAP_KEY, or SVC_TAP_INSPECT=1 to see what would be sent.',
  badEndpoint: 'the endpoint is not an http or https URL without user name and password, so nothing is reported. See SVC_TAP_ENDPOINT.',
  notObserved: 'this client has no model call that can be observed, so nothing is reported for it.',
  inspect: 'inspect mode is on: each batch is printed here and nothing is sent.',
  inspectDespiteKey: 'inspect mode is on and goes before the configured key: each batch is printed here, nothing is sent and nothing '
    + 'reaches the Baseline.',
  closed: 'this Baseline has closed, so reporting has stopped. It resumes by itself when the key is admitted again.',
  retired: 'the endpoint takes no more events for this key, so reporting has ended for this process.',
  keyNotAccepted: 'the tap key was not accepted three times, so reporting has stopped for this process.',
} as const;

export type Notice = keyof typeof notices;

/** The line of a notice, without its end. */
export function noticeLine(notice: Notice): string {
  return `metergate-tap: ${notices[notice]}`;
}
