/**
 * One batch → one POST by the runtime's own fetch → its answer. Redirects are not followed, so the key goes to no other host;
 * only the body of a 410 is read, to 16 KiB at most; the whole takes 2.5 s at most. Never rejects: a failure is `noAnswer`.
 */
import { noAnswer, type Answer } from './answer.ts';
import type { Attempt } from './reporter.ts';
import { after } from './runtime.ts';
import { version } from './version.ts';

/** Where a reporter posts to, and as whom. */
export interface Destination {
  readonly endpoint: string;
  readonly key: string;
}

export const attemptBudgetMs = 2_500;
export const answerBytesMax = 16_384;

const nativeFetch = globalThis.fetch;
const NativeAbortController = globalThis.AbortController;
const NativeTextDecoder = globalThis.TextDecoder;
const parseJson = JSON.parse;

/** What every post has, but its body. */
export function postOf({ key }: Destination): { method: 'POST'; redirect: 'manual'; headers: Record<string, string> } {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'user-agent': `metergate-tap/${version}` };
  return { method: 'POST', redirect: 'manual', headers };
}

export function postByFetch(destination: Destination, body: string): Attempt {
  const ended = new NativeAbortController();
  let abandon!: () => void;
  const answer = new Promise<Answer>((resolve) => {
    // Resolves by itself as well: a runtime that does not heed the signal must not hold the batch.
    abandon = () => {
      resolve(noAnswer);
      ended.abort();
    };
    const cancel = after(attemptBudgetMs, abandon);
    ask(destination, body, ended.signal).then(resolve, abandon).finally(cancel).catch(abandon);
  });
  return { answer, abandon };
}

async function ask(destination: Destination, body: string, signal: AbortSignal): Promise<Answer> {
  const response = await nativeFetch(destination.endpoint, { ...postOf(destination), body, signal });
  // Some runtimes hide a redirect that is not followed behind status 0.
  const status = response.status || 307;
  const text = status === 410 ? await startOf(response).catch(() => '') : '';
  response.body?.cancel().catch(() => undefined);
  return { status, code: codeOf(text) };
}

/** The body as far as it may be read. */
async function startOf(response: Response): Promise<string> {
  const reader = response.body!.getReader();
  const decoder = new NativeTextDecoder();
  let text = '';
  while (text.length < answerBytesMax) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  // Ends the connection where the body goes on; where it is whole, nothing.
  await reader.cancel();
  return text;
}

function codeOf(text: string): string | null {
  try {
    return (parseJson(text) as { error: { code: string } }).error.code;
  } catch {
    return null;
  }
}
