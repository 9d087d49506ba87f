/**
 * One batch → one POST by the runtime's own fetch → its answer. Redirects are not followed, so the key goes to no other host;
 * an answer's body is read to 16 KiB at most, and the whole takes 2.5 s at most. Never rejects: a failure is `noAnswer`.
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

const nativeFetch = globalThis.fetch as typeof fetch | undefined;
const NativeAbortController = globalThis.AbortController;
const NativeTextDecoder = globalThis.TextDecoder;
const parseJson = JSON.parse;

/** The headers of every post. */
export function headersOf({ key }: Destination): Record<string, string> {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'user-agent': `metergate-tap/${version}` };
}

export function postByFetch(destination: Destination, body: string): Attempt {
  let abandon = (): void => undefined;
  const answer = new Promise<Answer>((resolve) => {
    let known = noAnswer;
    const ended = new NativeAbortController();
    const cancel = after(attemptBudgetMs, () => abandon());
    const settle = (): void => {
      cancel();
      resolve(known);
    };
    // Resolved at once: a runtime that does not heed the signal must not hold the batch.
    abandon = () => {
      settle();
      ended.abort();
    };
    const heard = (answer: Answer): void => {
      known = answer;
    };
    askedAndRead(destination, { body, signal: ended.signal, heard }).then(settle, settle);
  });
  return { answer, abandon: () => abandon() };
}

interface Question {
  readonly body: string;
  readonly signal: AbortSignal;
  /** Told the status as soon as it is known, and again with the code of a 410: where the body fails, the status stands. */
  readonly heard: (answer: Answer) => void;
}

async function askedAndRead(destination: Destination, { body, signal, heard }: Question): Promise<void> {
  const response = await nativeFetch!(destination.endpoint, {
    method: 'POST', headers: headersOf(destination), body, signal, redirect: 'manual', keepalive: false,
  });
  // Some runtimes hide a redirect that is not followed behind status 0.
  const status = response.type === 'opaqueredirect' ? 307 : response.status;
  heard({ status, code: null });
  const text = await startOf(response);
  if (status === 410) heard({ status, code: codeOf(text) });
}

/** The body where it is short, so that the connection can be used again; null and the connection ended where it is not. */
async function startOf(response: Response): Promise<string | null> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new NativeTextDecoder();
  let text = '';
  for (let bytes = 0; bytes <= answerBytesMax;) {
    const { done, value } = await reader.read();
    if (done) return text;
    bytes += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return null;
}

function codeOf(text: string | null): string | null {
  const parsed: unknown = parseJson(text ?? 'null');
  const code = (parsed as { error?: { code?: unknown } } | null)?.error?.code;
  return typeof code === 'string' ? code : null;
}
