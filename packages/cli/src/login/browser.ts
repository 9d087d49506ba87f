/** Opening the person's browser, as far as the machine has one. */
import { spawn } from 'node:child_process';

type Env = Readonly<Record<string, string | undefined>>;

/** Whether a browser that is opened here is likely the person's: not over SSH, and with a display. */
export function hasBrowser(env: Env): boolean {
  if ((env['BROWSER'] ?? '') !== '') return true;
  if (env['SSH_CONNECTION'] !== undefined || env['SSH_TTY'] !== undefined) return false;
  return process.platform === 'darwin' || process.platform === 'win32' || (env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? '') !== '';
}

/** Nobody waits for it: where it does not open, the person has the address. `url` has no secret in it, and only plain characters. */
export function openBrowser(url: string, env: Env): void {
  const [program, ...args] = commandFor(url, env);
  const child = spawn(program, args, { stdio: 'ignore', detached: true, env: env as NodeJS.ProcessEnv });
  child.on('error', () => {});
  child.unref();
}

function commandFor(url: string, { BROWSER: own = '' }: Env): readonly [string, ...string[]] {
  if (own !== '') return [own, url];
  if (process.platform === 'darwin') return ['open', url];
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler', url] : ['xdg-open', url];
}
