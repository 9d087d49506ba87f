/** The session's cookie: its name, bound to the host if the platform is reached over https. Rule 16. */
const name = 'metergate_session';

export function sessionCookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? `__Host-${name}` : name;
}

/** Whether a request's cookies hold a session, valid or not. */
export function hasSessionCookie(cookies: string): boolean {
  return cookies.includes(`${name}=`);
}
