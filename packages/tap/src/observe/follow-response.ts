/**
 * Follows a bare `Response` that the host took from the SDK, while the host reads it: `json`, `text`, the other whole-body methods, or the
 * stream in `body`. Server-sent events are read as they pass. A body this cannot follow, or one over the bound, leaves the figures at zero.
 */
import { quietly } from './look.ts';
import { followAnswer } from './follow-answer.ts';
import { followReads, overhear } from './follow-stream.ts';
import { lookAtReturned, override } from './in-place.ts';
import type { Call, Listener } from './call.ts';

/** The longest JSON body, or line of a stream, that is parsed a second time, in UTF-16 units. */
const textMax = 262_144;

const followed = new WeakSet<object>();

/** Follows the response, unless the SDK itself reads it. */
export function followResponse(response: object, call: Call): void {
  if (followed.has(response)) return;
  followed.add(response);
  const events = String(quietly(() => (response as Response).headers.get('content-type'))).includes('event-stream');
  for (const name of ['json', 'text', 'arrayBuffer', 'bytes', 'blob', 'formData', 'buffer']) {
    override(response, name, (run) => (call.parsed ? run() : overhear(run(), (body) => {
      if (name === 'json') return followAnswer(body, call);
      const text = passingText(call, events);
      if (name === 'text') text.value(body);
      text.end('done');
    }, call.fail)));
  }
  // The body is looked at only when the host asks for it.
  const get = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(response) as object, 'body')?.get;
  if (get) {
    Object.defineProperty(response, 'body', {
      configurable: true,
      get: () => {
        const body: unknown = Reflect.apply(get, response, []);
        if (!call.parsed) quietly(() => followBytes(body, passingText(call, events)));
        return body;
      },
    });
  }
}

function followBytes(body: unknown, listener: Listener): void {
  if (followed.has(body as object)) return;
  followed.add(body as object);
  for (const name of ['getReader', Symbol.asyncIterator]) lookAtReturned(body, name, (made) => followReads(made, listener));
}

/** Reads a body as it passes: the data lines of server-sent events one by one, else one JSON document at its end. */
function passingText(call: Call, events: boolean): Listener {
  const decoder = new TextDecoder();
  let pending = '';
  let overlong = false;
  const parse = (text: string): void => {
    const json = events && !text.startsWith('data:') ? '' : text.slice(events ? 5 : 0);
    if (json && !overlong) quietly(() => call.value(JSON.parse(json)));
    overlong &&= !events;
  };
  return {
    value: (chunk) => quietly(() => {
      pending += typeof chunk === 'string' ? chunk : decoder.decode(chunk as Uint8Array, { stream: true });
      const lines = events ? pending.split('\n') : [pending];
      pending = lines.pop() ?? '';
      for (const line of lines) parse(line);
      overlong ||= pending.length > textMax;
      if (overlong) pending = '';
    }),
    end: (ending) => {
      if (ending === 'done') parse(pending);
      call.end(ending);
    },
    fail: call.fail,
  };
}
