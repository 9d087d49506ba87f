/** The machine's part of a sign-in: begin, let the person decide in a browser, take the key. Decision 196. */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { CommandFault, type CommandTools } from '../command-line/command.ts';
import { hasBrowser, openBrowser } from './browser.ts';
import { openLoopback } from './loopback.ts';
import { beginSignIn, takeKey, type Begun, type Given } from './platform-client.ts';

type Tools = Pick<CommandTools, 'env' | 'stderr' | 'nowMs' | 'randomBytes' | 'pause'>;

/** `byCode`: the person types a code on a page, on any machine. Left out: as the machine seems to need. */
export async function signIn(tools: Tools, origin: string, { byCode }: { readonly byCode: boolean }): Promise<Given> {
  const verifier = Buffer.from(tools.randomBytes(32)).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const asking = { challenge, machine: hostname() };
  return byCode || !hasBrowser(tools.env) ? signInByCode(tools, origin, { asking, verifier }) : signInByBrowser(tools, origin, { asking, verifier });
}

interface Begins {
  readonly asking: { readonly challenge: string; readonly machine: string };
  readonly verifier: string;
}

async function signInByBrowser(tools: Tools, origin: string, { asking, verifier }: Begins): Promise<Given> {
  const loopback = await openLoopback();
  try {
    const begun = await beginSignIn(origin, { ...asking, port: loopback.port });
    const url = `${origin}${begun.path}`;
    tools.stderr(`Sign in and allow this machine in your browser. If it does not open:\n  ${url}\n`
      + 'No browser on this machine? End this, and run it with --code.\n');
    const brought = loopback.broughtFor(begun.id);
    openBrowser(url, tools.env);
    const code = await within(brought, begun);
    if (code === null) throw refused();
    return await takenKey(tools, { origin, begun, verifier, code });
  } finally {
    loopback.close();
  }
}

async function signInByCode(tools: Tools, origin: string, { asking, verifier }: Begins): Promise<Given> {
  const begun = await beginSignIn(origin, { ...asking, port: null });
  if (begun.userCode === null) throw over();
  tools.stderr(`Open this page on any machine, sign in, and type the code there:\n  ${origin}${begun.path}\n  ${begun.userCode}\n`
    + 'Type it nowhere else, and give it to nobody.\n');
  await pauseOf(tools)(begun.intervalSeconds * 1_000);
  return takenKey(tools, { origin, begun, verifier, code: null });
}

interface Takes {
  readonly origin: string;
  readonly begun: Begun;
  readonly verifier: string;
  readonly code: string | null;
}

/** Asks until somebody has decided. */
async function takenKey(tools: Tools, { origin, begun, verifier, code }: Takes): Promise<Given> {
  const endMs = tools.nowMs() + begun.expiresInSeconds * 1_000;
  let wasAway = false;
  while (tools.nowMs() < endMs) {
    const given = await takeKey(origin, begun.id, { verifier, code }).catch((error: unknown) => {
      if (!(error instanceof CommandFault)) throw error;
      if (error.code === 'sign_in_over') throw wasAway ? lost() : refused();
      wasAway ||= error.code === 'platform_unreachable';
      // Neither a short outage nor other machines here end a sign-in that the person is about to allow.
      if (error.code === 'platform_unreachable' || error.code === 'too_many_attempts') return null;
      throw error;
    });
    if (given !== null) return given;
    await pauseOf(tools)(begun.intervalSeconds * 1_000);
  }
  throw over();
}

function pauseOf({ pause }: Tools): (ms: number) => Promise<void> {
  return pause ?? ((ms) => new Promise((resolve) => { setTimeout(resolve, ms); }));
}

async function within(brought: Promise<string | null>, { expiresInSeconds }: Begun): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => { timer = setTimeout(() => reject(over()), expiresInSeconds * 1_000); });
  try {
    return await Promise.race([brought, late]);
  } finally {
    clearTimeout(timer);
  }
}

function over(): CommandFault {
  return new CommandFault('sign_in_over', 'Nobody allowed this machine in time. Nothing was written. Run it again.');
}

/** A key is in one answer only. */
function lost(): CommandFault {
  return new CommandFault('sign_in_over', 'This sign-in is over, and an answer to this machine was lost. Nothing was written. '
    + 'If a key of this machine is under Service keys, revoke it there, and run this again.');
}

function refused(): CommandFault {
  return new CommandFault('sign_in_refused', 'This machine was not allowed. Nothing was written.');
}
