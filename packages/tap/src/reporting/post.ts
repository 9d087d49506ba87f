/**
 * One batch → one POST → its answer. It uses Node's own http modules, not fetch. They rely on captured intrinsics, whereas fetch ends a
 * process whose `Date.now` throws, and their sockets need not keep the process alive. A runtime without them reports nothing. Redirects are
 * not followed, so the key goes to no other host. Only the body of a 410 is read, up to 16 KiB. A post takes at most 2.5 s. It neither
 * shares nor displaces a connection of the host. It never rejects: a failure is `noEndpointAnswer`.
 */
import { noEndpointAnswer, type EndpointAnswer } from './answer.ts';
import { quietly } from '../observe/look.ts';
import { after, nodeModule } from '../runtime.ts';
import { version } from '../version.ts';

/** Where a reporter posts to, and with which key. */
export interface PostTarget {
  readonly endpoint: string;
  readonly key: string;
}

const attemptBudgetMs = 2_500;
const answerLengthMax = 16_384;

const parseJson = JSON.parse;

/** What every post has except its body. */
export function postOf({ key }: PostTarget): { readonly method: 'POST'; readonly headers: Record<string, string> } {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'user-agent': `metergate-tap/${version}` };
  return { method: 'POST', headers };
}

export function postBatch(destination: PostTarget, body: string): Promise<EndpointAnswer> {
  return new Promise<EndpointAnswer>((resolve) => {
    const { request } = nodeModule(/^https/i.test(destination.endpoint) ? 'https' : 'http');
    // A new socket, so that it takes no place in the host's pools.
    const post = request(destination.endpoint, { ...postOf(destination), agent: false }, (response) => {
      let text = '';
      const heard = (): void => settle({
        status: response.statusCode!,
        closed: quietly(() => (parseJson(text) as { error: { code: string } }).error.code) === 'baseline_closed',
      });
      if (response.statusCode !== 410) return heard();
      response.setEncoding('utf8').on('error', heard).on('close', heard).on('data', (part: string) => {
        text += part;
        if (text.length > answerLengthMax) heard();
      });
    });
    const settle = (answered: EndpointAnswer): void => {
      resolve(answered);
      post.destroy();
    };
    const fail = (): void => settle(noEndpointAnswer);
    after(attemptBudgetMs, fail);
    post.on('socket', (socket) => socket.unref()).on('error', fail).end(body);
  }).catch(() => noEndpointAnswer);
}
