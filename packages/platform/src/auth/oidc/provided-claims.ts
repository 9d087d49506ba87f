/** A provider's claims about a person (subject, email, the role claim), from the ID token or, if it lacks one, from userinfo. */
export interface ProvidedClaims {
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  /** Unchanged: `roleEntriesOf` reads it. */
  readonly roles: unknown;
}

type Claims = Readonly<Record<string, unknown>>;

/** Whether a further request could add anything. */
export function lacksRoleOrEmail(claims: Claims, roleClaim: string): boolean {
  return !Object.hasOwn(claims, roleClaim) || !Object.hasOwn(claims, 'email');
}

/** The ID token takes precedence over userinfo. Whichever names the email also says whether it is verified. */
export function claimsOf(
  own: Claims & { readonly sub: string }, more: Claims, { roleClaim, emailsTrusted }: { readonly roleClaim: string; readonly emailsTrusted: boolean },
): ProvidedClaims {
  const from = Object.hasOwn(own, 'email') ? own : more;
  const { email, email_verified: verified } = from;
  return {
    subject: own.sub, email: typeof email === 'string' ? email : null,
    // Some providers send it as text.
    emailVerified: verified === true || verified === 'true' || (emailsTrusted && verified === undefined),
    roles: (Object.hasOwn(own, roleClaim) ? own : more)[roleClaim],
  };
}
