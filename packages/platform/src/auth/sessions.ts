/**
 * Sessions of people as the platform's HTTP uses them: created with an email and a password, found by their cookie, ended. Rule 16.
 * Storage is behind this interface.
 */
import type { AdministrationRefusal } from '../use-cases/refusal.ts';

export interface FoundSession {
  readonly session: string;
  readonly person: string;
  readonly email: string;
  /** The organization that the session is for; null: begun by an earlier version, for the person's first. */
  readonly organization: string | null;
  /** What the answer carries on: a cookie with a later end. */
  readonly answerHeaders: Headers;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface Sessions {
  /**
   * A new session for `organization`, null: the person's first; its cookie is in the headers. Refuses `wrong_password`, in the same
   * words whatever was wrong.
   */
  begin(
    credentials: Credentials, request: Headers, organization: string | null,
  ): Promise<{ readonly person: string; readonly answerHeaders: Headers } | AdministrationRefusal>;
  /** A new session of a person whom this identity provider has vouched for; its cookie is in the headers. It lasts shorter than others. */
  beginFor(vouched: { readonly person: string; readonly issuer: string }, request: Headers, organization: string): Promise<Headers>;
  /** The session whose cookie the request carries; null if it carries none that is alive. */
  find(request: Headers): Promise<FoundSession | null>;
  /** Ends the request's session, on the server too; the cookie goes with the headers. */
  end(request: Headers): Promise<Headers>;
  /** Refuses `wrong_password`. Ends every session of the person and begins a new one for `organization`. */
  changePassword(
    wanted: { readonly current: string; readonly next: string; readonly organization: string }, request: Headers,
  ): Promise<{ readonly answerHeaders: Headers } | AdministrationRefusal>;
}
