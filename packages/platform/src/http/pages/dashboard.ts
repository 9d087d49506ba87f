/**
 * The dashboard's files, as `npm ci` built them: read once when the platform starts, served from memory, compressed ahead of time.
 * Any other address that a browser opens answers with the one page, whose script knows what to show there. Where nothing was built
 * (an installation without development parts), a page says so and everything else of the platform works.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { hasSessionCookie } from '../../auth/session-cookie.ts';
import { securityHeaders } from '../security-headers.ts';
import { htmlPage, pageHeaders } from './page-style.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml',
};
/** Names of these files contain a hash of their content. */
const forever = 'public, max-age=31536000, immutable';
/** The build's placeholder for a page's own nonce. */
const noncePlace = /__NONCE__/g;

interface Asset {
  readonly contentType: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly br: Uint8Array<ArrayBuffer> | null;
  readonly gzip: Uint8Array<ArrayBuffer> | null;
}

/** Files by path, and the page; null if nothing was built. */
interface Built {
  readonly assets: ReadonlyMap<string, Asset>;
  readonly page: string;
  /** The tags that begin to load a page's own scripts, by its path. */
  readonly preloads: ReadonlyMap<string, string>;
}

const notBuilt = htmlPage('Platform', `<h1>Metergate</h1>
<p>The platform is running, but its pages were not built in this installation. Build them once, in Metergate's folder, with all
its development parts installed:</p>
<pre><code>npm ci
npm run build -w packages/dashboard</code></pre>
<p>Then start Metergate again. The command and the <a href="/platform/v1/openapi.json">HTTP interface</a> work without them.</p>`);

/**
 * Adds the pages to the app. Call this after all other routes: any other address is a page. `opened`: a browser opens a page,
 * and will soon ask for reports.
 */
export function serveDashboard(app: OpenAPIHono, opened: () => void): void {
  const folder = builtFolder();
  const built = folder === null ? null : readBuilt(folder);
  app.get('/assets/:name', (context, next) => {
    const asset = built?.assets.get(context.req.param('name'));
    return asset === undefined ? next() : assetResponse(asset, context.req.header('accept-encoding') ?? '');
  });
  app.get('*', (context, next) => {
    if (!asksForPage(context)) return next();
    if (built === null) return context.html(notBuilt, 200, pageHeaders);
    opened();
    return pageResponse(context, built);
  });
}

/** Pages that one-time links lead to: they are served whatever the client accepts. */
const handedOut: ReadonlySet<string> = new Set(['/join', '/password']);

/** Whether a browser opens an address; other clients get a 404. */
function asksForPage(context: Context): boolean {
  const { path } = context.req;
  if (path === '/' || handedOut.has(path)) return true;
  const another = /^\/(?:platform|tap|assets)(?:\/|$)|\.[a-z0-9]+$/i.test(path);
  return !another && (context.req.header('accept') ?? '').includes('text/html');
}

/** Whoever is signed in will see the page: its scripts are named with the first one, so that they do not come after it. */
function pageResponse(context: Context, { page, preloads }: Built): Response {
  const nonce = randomBytes(16).toString('base64');
  const ahead = hasSessionCookie(context.req.header('cookie') ?? '') ? (preloads.get(context.req.path) ?? '') : '';
  return context.html(page.replace('</head>', `${ahead}</head>`).replaceAll(noncePlace, nonce), 200, {
    'content-security-policy': `${securityHeaders['content-security-policy']}; script-src 'self'; style-src 'self' 'nonce-${nonce}'`,
  });
}

function assetResponse({ contentType, plain, br, gzip }: Asset, accepted: string): Response {
  const coding = br !== null && /\bbr\b/.test(accepted) ? 'br' : gzip !== null && /\bgzip\b/.test(accepted) ? 'gzip' : null;
  const body = (coding === 'br' ? br : coding === 'gzip' ? gzip : null) ?? plain;
  return new Response(body, {
    headers: {
      'content-type': contentType, 'cache-control': forever, vary: 'accept-encoding', 'content-length': String(body.length),
      ...(coding === null ? {} : { 'content-encoding': coding }),
    },
  });
}

/** Null if the package, or its build output, is missing. */
function builtFolder(): string | null {
  try {
    const folder = fileURLToPath(new URL('dist', import.meta.resolve('@metergate/dashboard/package.json')));
    return existsSync(join(folder, 'index.html')) ? folder : null;
  } catch {
    return null;
  }
}

function readBuilt(folder: string): Built {
  const assets = new Map<string, Asset>();
  const names = readdirSync(join(folder, 'assets'));
  const read = (name: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(join(folder, 'assets', name)));
  for (const name of names) {
    const contentType = contentTypes[extname(name)];
    if (contentType === undefined) continue;
    const [br, gzip] = [`${name}.br`, `${name}.gz`].map((each) => (names.includes(each) ? read(each) : null));
    assets.set(name, { contentType, plain: read(name), br: br ?? null, gzip: gzip ?? null });
  }
  return { assets, page: readFileSync(join(folder, 'index.html'), 'utf8'), preloads: readPreloads(join(folder, 'scripts.json')) };
}

/** Written by the build; pages that an older one built load their scripts one after the other. */
function readPreloads(file: string): ReadonlyMap<string, string> {
  if (!existsSync(file)) return new Map();
  const scripts = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, readonly string[]>>;
  const tag = (script: string): string => `<link rel="modulepreload" crossorigin href="/${script}">`;
  return new Map(Object.entries(scripts).map(([path, names]) => [path, names.map(tag).join('')]));
}
