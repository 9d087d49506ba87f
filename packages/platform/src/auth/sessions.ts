/**
 * Sessions of people as the platform's HTTP uses them: begun for a person who has proved who they are, found by their cookie, ended. Rule 16.
 * Storage is behind this interface.
 */

interface FoundSession {
  readonly session: string;
  readonly person: string;
  /** Issuer of the identity provider that vouched for the person; null: a password did. */
  readonly providedBy: string | null;
  /** The organization that the session is for; null: begun by an earlier version, for the person's first. */
  readonly organization: string | null;
  /** Headers for the answer: a cookie with a later end. */
  readonly answerHeaders: Headers;
}

/** Who a session is begun for, after they have proved who they are. */
interface ProvenPerson {
  readonly person: string;
  /** The identity provider that vouched for them: such a session is shorter than others. Null: a password, or a link. */
  readonly issuer: string | null;
  /** Null: they belong to none. */
  readonly organization: string | null;
}

export interface Sessions {
  /** A new session; its cookie is in the headers. */
  begin(who: ProvenPerson, request: Headers): Promise<Headers>;
  /** The session whose cookie the request carries; null if it carries none that is alive. */
  find(request: Headers): Promise<FoundSession | null>;
  /** Ends the request's session, on the server too; the headers remove the cookie. */
  end(request: Headers): Promise<Headers>;
}
