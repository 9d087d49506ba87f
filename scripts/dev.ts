/**
 * `npm run dev`: the whole product from its sources, with the sandbox. A saved file of the server restarts it within a second; a saved file of
 * the pages shows at once. The data are in `./sandbox`. Arguments after `--` reach `metergate start`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const serverPackages = ['core', 'store', 'gateway', 'platform', 'sandbox', 'cli'];
/** Editors write a file in several steps, and a save of all files writes many. */
const settledMs = 150;
const pagesPort = Number(process.env['DEV_PAGES_PORT'] ?? 5173);
const pagesUrl = `http://127.0.0.1:${pagesPort}`;
const platformUrl = `http://127.0.0.1:${process.env['SVC_PLATFORM_PORT'] ?? 8081}`;

/** The client of the pages follows the operations. */
function makeClient(): Promise<unknown> {
  return once(spawn(process.execPath, ['packages/dashboard/generate-client.ts'], { cwd: root, stdio: 'inherit' }), 'exit');
}

/** The page is asked of the pages' own server, so that is where a browser says that it comes from. */
function startServer(): ChildProcess {
  return spawn(process.execPath, ['packages/cli/src/main.ts', 'start', '--sandbox', ...process.argv.slice(2)], {
    cwd: root, stdio: 'inherit',
    env: { SVC_DATA_DIR: './sandbox', SVC_PUBLIC_PLATFORM_URL: pagesUrl, SVC_GRACE_SECONDS: '1', ...process.env },
  });
}

async function servePages(): Promise<{ close(): Promise<void> }> {
  const pages = await createServer({
    root: join(root, 'packages/dashboard'), configFile: false, logLevel: 'warn', oxc: { jsx: { runtime: 'automatic' } },
    server: { host: '127.0.0.1', port: pagesPort, strictPort: true, proxy: { '/platform': platformUrl } },
  });
  return pages.listen();
}

await makeClient();
const pages = await servePages();
let server = startServer();
let stopping = false;
let restarting: Promise<void> | null = null;
let settled: NodeJS.Timeout | undefined;
console.log(`dev: pages ${pagesUrl}, reloading what is saved below packages`);

async function restart(): Promise<void> {
  const before = server;
  if (before.exitCode === null && before.signalCode === null) {
    before.kill('SIGTERM');
    await once(before, 'exit');
  }
  if (stopping) return;
  server = startServer();
  await makeClient();
}

function changed(name: string): void {
  if (!/\.(?:ts|json|sql)$/.test(name) || name.endsWith('.test.ts')) return;
  clearTimeout(settled);
  settled = setTimeout(() => {
    console.log(`dev: ${name} was saved, the server starts again`);
    restarting = (restarting ?? Promise.resolve()).then(restart);
  }, settledMs);
}

const watches = serverPackages.map((each) => watch(join(root, 'packages', each, 'src'), { recursive: true }, (_, name) => changed(name ?? '')));

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    stopping = true;
    clearTimeout(settled);
    for (const each of watches) each.close();
    server.kill('SIGTERM');
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    await pages.close();
  });
}
