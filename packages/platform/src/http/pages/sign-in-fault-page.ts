/** The page of a failed sign-in by the identity provider: our own sentence for each cause, and a link back. */
import { htmlPage } from './page-style.ts';

interface Told {
  readonly status: 400 | 403 | 503;
  readonly sentence: string;
}

export const signInFaults = {
  away: { status: 503, sentence: 'The identity provider does not answer right now. Try again in a moment, or sign in with a password.' },
  unavailable: { status: 503, sentence: 'Nobody can sign in right now, because the store does not answer. Try again in a moment.' },
  denied: { status: 403, sentence: 'The identity provider did not let you in.' },
  not_confirmed: { status: 400, sentence: 'The answer of the identity provider could not be verified. Sign in again.' },
  not_begun: {
    status: 400, sentence: 'This sign-in was not begun in this browser, or it took longer than ten minutes. Sign in again.',
  },
  no_role: {
    status: 403, sentence: 'The identity provider knows you, but gives you no role in Metergate. Ask its administrator for one.',
  },
  invalid_email: { status: 403, sentence: 'The identity provider did not send an email address for you, and Metergate needs one.' },
  email_not_verified: {
    status: 403, sentence: 'The identity provider does not say that your email address was verified. Verify it there, or sign in with a '
      + 'password.',
  },
  email_taken: {
    status: 403, sentence: 'Your email address belongs to another user of the identity provider here. Ask whoever runs Metergate.',
  },
} as const satisfies Record<string, Told>;

export type SignInFault = keyof typeof signInFaults;

export function signInFaultPage(fault: SignInFault): string {
  return htmlPage('Sign in', `<h1>You are not signed in</h1>
<p role="alert">${signInFaults[fault].sentence}</p>
<p><a href="/sign-in">Back to signing in</a></p>`);
}
