/** One request to a token endpoint, bounded in time and in what is read of its answer. Nothing of either is ever in a message. */
import { Buffer } from 'node:buffer';
import type { Destination, ExchangeFault } from '../network/destination.ts';

/** A token, and how long it is one from now on, milliseconds. */
export interface FetchedToken {
  readonly token: string;
  readonly lifetimeMs: number;
}

/** What happened instead, to be read after "its token endpoint". */
export interface NoToken {
  readonly why: string;
}

const answerBytesMax = 64 * 1024;
const deadlineMs = 10_000;
const tokenForm = /^[\x21-\x7e]{1,8192}$/;
/** As RFC 6749 names errors. Anything else could be an echo of what was sent. */
const errorForm = /^[a-z_]{1,40}$/;

const faults: { readonly [Kind in ExchangeFault['kind']]: string } = {
  not_public: 'is at no public address', connect: 'could not be reached', protocol: 'did not answer in HTTP', timeout: 'did not answer in time',
  reset: 'closed the connection', aborted: 'did not answer in time',
};

/** `done` runs once. */
export function fetchToken(
  destination: Destination, { target, assertion }: { readonly target: string; readonly assertion: string },
  done: (result: FetchedToken | NoToken) => void,
): void {
  const content = Buffer.from(`grant_type=${encodeURIComponent('urn:ietf:params:oauth:grant-type:jwt-bearer')}&assertion=${assertion}`);
  const chunks: Buffer[] = [];
  let [status, bytes, isOver] = [0, 0, false];
  const end = (result: FetchedToken | NoToken): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    done(result);
  };
  const timer = setTimeout(() => {
    end({ why: faults.timeout });
    exchange.abort();
  }, deadlineMs);
  const exchange = destination.send({
    method: 'POST', target, headers: ['accept', 'application/json', 'content-type', 'application/x-www-form-urlencoded'],
    body: content, contentLength: content.length, keyId: '',
  }, {
    head: (code) => { status = code; },
    data(chunk) {
      bytes += chunk.length;
      if (bytes <= answerBytesMax) return void chunks.push(chunk);
      end({ why: 'gave too long an answer' });
      exchange.abort();
    },
    end: () => end(readAnswer(status, Buffer.concat(chunks).toString('utf8'))),
    failed: ({ kind }) => end({ why: faults[kind] }),
  });
}

function readAnswer(status: number, text: string): FetchedToken | NoToken {
  const { access_token: token, expires_in: seconds, error } = fieldsOf(text);
  if (status !== 200) {
    return { why: `answered ${status}${typeof error === 'string' && errorForm.test(error) ? ` (${error})` : ''}` };
  }
  if (typeof token !== 'string' || !tokenForm.test(token)) return { why: 'answered without a token' };
  const lifetimeMs = Number(seconds) * 1_000;
  return { token, lifetimeMs: Number.isFinite(lifetimeMs) && lifetimeMs > 0 ? Math.min(lifetimeMs, 86_400_000) : 0 };
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
