/**
 * The node makes a call to itself every few seconds, through its own listener, the gateway thread and its client, to a provider that this thread
 * plays (decision 0206). If two of them in a row get no answer, the node is not ready: whatever it is that holds them up, callers meet it too.
 */
import { randomBytes } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { ownCallHeader, type OwnCallSettings } from '@metergate/gateway/node/own-call-settings.ts';

/** From the end of one to the next. */
const pauseMs = 5_000;
/** A node that takes longer for its own call is of no use to its callers. */
const answerMsMax = 5_000;
/** One may meet a moment in which the machine had no time. */
const failuresMax = 2;

export interface OwnCallFigures {
  /** How long the last one took; null: it got no answer. */
  readonly tookMs: number | null;
  readonly isTrusted: boolean;
}

export interface RunningOwnCalls {
  /** What the gateway thread needs to know. */
  readonly settings: OwnCallSettings;
  /** Begins, once the gateway listens there. */
  begin(address: { readonly host: string; readonly port: number }): void;
  /** Null: none has ended yet. */
  figures(): OwnCallFigures | null;
  stop(): void;
}

/** Starts the provider. */
export async function startOwnCalls(): Promise<RunningOwnCalls> {
  const secret = randomBytes(32).toString('hex');
  const provider = await startProvider();
  const judge = createJudge();
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  const look = async (address: { readonly host: string; readonly port: number }): Promise<void> => {
    const beganMs = performance.now();
    const outcome = await callItself(address, secret);
    if (outcome !== 'turned_away') judge.called(outcome === 'right' ? performance.now() - beganMs : null);
    if (!isStopped) timer = setTimeout(() => void look(address), pauseMs).unref();
  };
  return {
    settings: { secret, providerUrl: `http://127.0.0.1:${(provider.address() as AddressInfo).port}` },
    begin: (address) => void look(address),
    figures: () => judge.figures(),
    stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      provider.close();
      provider.closeAllConnections();
    },
  };
}

/** What follows from the outcomes of own calls, one after another. */
export function createJudge(): { called(tookMs: number | null): void; figures(): OwnCallFigures | null } {
  let failures = 0;
  let figures: OwnCallFigures | null = null;
  return {
    called(tookMs) {
      failures = tookMs === null ? failures + 1 : 0;
      figures = { tookMs, isTrusted: failures < failuresMax };
    },
    figures: () => figures,
  };
}

/** Says back what it is asked for. */
async function startProvider(): Promise<Server> {
  const server = createServer((asked, answer) => answer.end(asked.url));
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

/**
 * `right`: the answer came, whole and right, in time. `turned_away`: the gateway thread reset the connection, as it does while each of its
 * connections carries a call. It works then, and who fills it must not take it, and every other node like it, away from those who are connected.
 */
type OwnCallOutcome = 'right' | 'none' | 'turned_away';

export function callItself({ host, port }: { readonly host: string; readonly port: number }, secret: string): Promise<OwnCallOutcome> {
  const target = `/v1/models?own=${randomBytes(8).toString('hex')}`;
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return new Promise((resolve) => {
    const sent = request({ host: reached, port, path: target, headers: { [ownCallHeader]: secret }, agent: false }, (answer) => {
      let said = '';
      answer.setEncoding('utf8').on('data', (text: string) => { said += text; });
      answer.on('end', () => end(answer.statusCode === 200 && said === target ? 'right' : 'none')).on('error', () => end('none'));
    });
    // If this thread had no time meanwhile, the answer may be there already: it is read before the call is given up.
    const late = setTimeout(() => void turn().then(() => turn()).then(() => end('none')), answerMsMax);
    const end = (outcome: OwnCallOutcome): void => {
      clearTimeout(late);
      sent.destroy();
      resolve(outcome);
    };
    sent.on('error', ({ code }: NodeJS.ErrnoException) => end(code === 'ECONNRESET' ? 'turned_away' : 'none')).end();
  });
}
