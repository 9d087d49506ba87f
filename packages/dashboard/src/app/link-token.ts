/**
 * The one-time token of a link. It stands behind `#`, which no browser sends to a server, and is taken out of the address bar as the
 * first thing the pages do, before anything is loaded or drawn.
 */
const pagesWithLinks = ['/join', '/password'];

function taken(): string {
  if (!pagesWithLinks.includes(location.pathname)) return '';
  const found = location.hash.slice(1);
  if (found !== '') history.replaceState(history.state, '', location.pathname);
  return found;
}

/** Empty where the address has none. */
export const linkToken = taken();
