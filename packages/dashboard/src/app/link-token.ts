/**
 * The one-time token of a link. It comes after `#`, which no browser sends to a server. The pages remove it from the address bar before
 * anything else is loaded or drawn.
 */
const pagesWithLinks = ['/join', '/password'];
/** Only in this tab, and only while its person is signing in at the identity provider. */
const keptFor = 'metergate-link';

const kept = location.pathname === '/join' ? (sessionStorage.getItem(keptFor) ?? '') : '';
sessionStorage.removeItem(keptFor);

/** Whether the browser came back to the page from the identity provider. */
export const cameBack = kept !== '';

function taken(): string {
  if (!pagesWithLinks.includes(location.pathname)) return '';
  const found = location.hash.slice(1) || kept;
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname);
  return found;
}

/** Empty if the address has none. */
export const linkToken = taken();

/** Keeps the token until the browser comes back to this page from the identity provider. */
export function keepLinkToken(): void {
  sessionStorage.setItem(keptFor, linkToken);
}
