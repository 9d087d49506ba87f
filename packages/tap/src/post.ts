/**
 * One batch → one POST → its answer. On Node by its own http modules: they stand on captured intrinsics, where the runtime's fetch
 * ends a process whose `Date.now` throws; and their sockets can be told not to keep the process alive. Elsewhere by fetch.
 * Redirects are not followed, so the key goes to no other host; only the body of a 410 is read, on Node to 16 KiB; the whole takes
 * 2.5 s at most; nothing of the host's connections is shared. Never rejects: a failure is `noAnswer`.
 */
import { noAnswer, type Answer } from './answer.ts';
import type { Attempt } from './batch-delivery.ts';
import { after, clockIsOwn, hostProcess, isNode } from './runtime.ts';
import { version } from './version.ts';

/** Where a reporter posts to, and as whom. */
export interface Destination {
  readonly endpoint: string;
  readonly key: string;
}

interface Post {
  readonly method: 'POST';
  readonly redirect: 'manual';
  readonly headers: Record<string, string>;
}

export const attemptBudgetMs = 2_500;
export const answerLengthMax = 16_384;

const nativeFetch = globalThis.fetch;
const NativeAbortSignal = globalThis.AbortSignal;
const parseJson = JSON.parse;

/** What every post has, but its body. */
export function postOf({ key }: Destination): Post {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'user-agent': `metergate-tap/${version}` };
  return { method: 'POST', redirect: 'manual', headers };
}

export function postBatch(destination: Destination, body: string): Attempt {
  let stop = (): void => undefined;
  let abandon!: () => void;
  const answer = new Promise<Answer>((resolve) => {
    const settle = (answered: Answer): void => {
      cancel();
      resolve(answered);
      stop();
    };
    abandon = () => settle(noAnswer);
    const cancel = after(attemptBudgetMs, abandon);
    try {
      stop = (isNode ? postByNode : postByFetch)(destination, body, settle);
    } catch {
      abandon();
    }
  });
  return { answer, abandon };
}

/** Calls back, once or more often; returns what ends it. */
function postByNode(destination: Destination, body: string, answered: (answer: Answer) => void): () => void {
  const { request } = hostProcess!.getBuiltinModule(/^https/i.test(destination.endpoint) ? 'https' : 'http');
  const post = request(destination.endpoint, { ...postOf(destination), agent: false }, (response) => {
    const status = response.statusCode!;
    let text = '';
    const heard = (): void => answered({ status, code: codeOf(text) });
    if (status !== 410) return heard();
    response.setEncoding('utf8').on('error', heard).on('close', heard).on('data', (part: string) => {
      text += part;
      if (text.length > answerLengthMax) heard();
    });
  });
  // One socket for each post: it takes no place in the host's pools.
  post.on('socket', (socket) => socket.unref()).on('error', () => answered(noAnswer)).end(body);
  return () => post.destroy();
}

/** Where the runtime's clock was replaced, its fetch is not tried on a host. */
function postByFetch(destination: Destination, body: string, answered: (answer: Answer) => void): () => void {
  const ask = async (): Promise<Answer> => {
    const signal = NativeAbortSignal.timeout(attemptBudgetMs);
    const response = await nativeFetch(destination.endpoint, { ...postOf(destination), body, signal });
    // Some runtimes hide a redirect that is not followed behind status 0.
    const status = response.status || 307;
    if (status === 410) return { status, code: codeOf(await response.text()) };
    void response.body?.cancel();
    return { status, code: null };
  };
  if (clockIsOwn()) ask().then(answered, () => answered(noAnswer));
  else answered(noAnswer);
  return () => undefined;
}

function codeOf(text: string): string | null {
  try {
    return (parseJson(text) as { error: { code: string } }).error.code;
  } catch {
    return null;
  }
}
