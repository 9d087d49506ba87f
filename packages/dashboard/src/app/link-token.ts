/**
 * The one-time token of a link. It comes after `#`, which no browser sends to a server. The pages remove it from the address bar first of
 * all, before anything is loaded or drawn.
 */
const pagesWithLinks = ['/join', '/password'];

function taken(): string {
  if (!pagesWithLinks.includes(location.pathname)) return '';
  const found = location.hash.slice(1);
  if (found !== '') history.replaceState(history.state, '', location.pathname);
  return found;
}

/** Empty if the address has none. */
export const linkToken = taken();
