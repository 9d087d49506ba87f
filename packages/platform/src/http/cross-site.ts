/**
 * Refuses requests that a browser sends on behalf of another site, by the headers that the browser itself sets. Rule 16. A session's
 * cookie is SameSite=Strict and bodies are JSON only; this is a further defence. It applies to requests with a cookie, and to signing in; a
 * browser never sends a management token on its own.
 */
import { HttpRefusal } from './envelope.ts';

const safeMethods = new Set(['GET', 'HEAD']);

/** @throws HttpRefusal 403 `cross_site` */
export function refuseCrossSite(request: Request, publicUrl: string): void {
  const site = request.headers.get('sec-fetch-site');
  // `none` means that a person did it: a typed address, a bookmark.
  if (site !== null && site !== 'same-origin' && site !== 'none') throw crossSite();
  if (safeMethods.has(request.method)) return;
  if (site === 'none') throw crossSite();
  const origin = request.headers.get('origin');
  if (origin !== null && !isOwnOrigin(origin, request, publicUrl)) throw crossSite();
}

/**
 * What may be done only once: by GET itself, at a person's request, and not by opening an address. If the platform is reached over
 * plain http a browser sends no `Sec-Fetch-Site`, and a page on another port of the same host counts as the same site for cookies:
 * there `Origin` and `Referer` decide. @throws HttpRefusal 403, 405
 */
export function refuseUnlessDeliberate(request: Request, publicUrl: string): void {
  if (request.method !== 'GET') throw new HttpRefusal(405, 'method_not_allowed', 'This address only accepts GET.', { allow: 'GET' });
  const purpose = `${request.headers.get('sec-purpose') ?? ''} ${request.headers.get('purpose') ?? ''} ${request.headers.get('x-moz') ?? ''}`;
  if (/prefetch|prerender|preview/i.test(purpose)) {
    throw new HttpRefusal(403, 'prefetch', 'This address does not answer prefetch requests.');
  }
  const site = request.headers.get('sec-fetch-site');
  // Tokens included: if a browser says that another site began the request, nothing that can be done only once is done.
  if (site !== null && site !== 'same-origin' && site !== 'none') throw crossSite();
  for (const from of [request.headers.get('origin'), originOf(request.headers.get('referer'))]) {
    if (from !== null && !isOwnOrigin(from, request, publicUrl)) throw crossSite();
  }
  if (!isOfScript(request.headers)) {
    throw new HttpRefusal(403, 'cross_site', 'A browser cannot open or embed this address. It is for the dashboard and for API clients.');
  }
}

/**
 * Refuses what a browser requests because a document names its address: an image, a page, a stylesheet. Over plain http it does not say what it
 * requests; then it must ask for JSON by name, which a document cannot do. Clients that are not browsers, and tokens, are let in.
 */
function isOfScript(headers: Headers): boolean {
  const [dest, mode] = [headers.get('sec-fetch-dest'), headers.get('sec-fetch-mode')];
  if (dest !== null || mode !== null) return (dest ?? 'empty') === 'empty' && (mode === null || mode === 'cors' || mode === 'same-origin');
  const browser = (headers.get('user-agent') ?? '').startsWith('Mozilla/') && headers.get('authorization') === null;
  return !browser || /\bapplication\/json\b/i.test(headers.get('accept') ?? '');
}

/** The public address's origin, or the one that this request came to. */
function isOwnOrigin(origin: string, request: Request, publicUrl: string): boolean {
  if (origin === new URL(publicUrl).origin) return true;
  const host = request.headers.get('host');
  return host !== null && origin === `${new URL(publicUrl).protocol}//${host}`;
}

/** Browsers send the text `null` for an opaque origin. */
function originOf(referer: string | null): string | null {
  return referer === null ? null : URL.parse(referer)?.origin ?? 'null';
}

function crossSite(): HttpRefusal {
  return new HttpRefusal(403, 'cross_site', 'This request came from another site and was refused.');
}
