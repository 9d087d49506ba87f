/** The session's cookie: its name, bound to the host if the platform is reached over https. Rule 16. */
export function sessionCookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-metergate_session' : 'metergate_session';
}
