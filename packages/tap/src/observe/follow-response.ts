/**
 * Follows a bare `Response` that the host took from the SDK, however the host reads it: whole, by a reader, by iteration, by tee, pipe or a
 * clone. Read to no figure, the call has only what its head says, and it is reported once the host has released the response.
 */
import { at, methodOf, quietly } from './look.ts';
import { followBody, observeOutcome } from './follow-stream.ts';
import { lookAtReturned, override } from './in-place.ts';
import { readingBody } from './reading-body.ts';
import type { ObservedCall, StreamListener } from './call.ts';

/** Follows the response. What the SDK itself reads of it is not looked at. */
export function followResponse(response: unknown, call: ObservedCall): void {
  for (const name of ['json', 'text', 'arrayBuffer', 'bytes', 'blob', 'buffer']) {
    override(response, name, (run) => observeOutcome(run(), (body) => {
      const listener = bodyListener(call);
      const hear = (whole: unknown): void => {
        listener.value(whole);
        listener.end('done');
      };
      if (name === 'blob') void observeOutcome((body as Blob).text(), hear, listener.fail);
      else hear(name === 'json' ? JSON.stringify(body) : body);
    }, (error) => !call.parsed && call.fail(error)));
  }
  followSource(at(response, 'body'), bodyListener(call));
  lookAtReturned(response, 'clone', (copy) => {
    followResponse(copy, call);
    followSource(at(response, 'body'), bodyListener(call)); // a new one: the copy has a half of the first
  });
}

/** Follows a web stream, or one of Node's (`node-fetch`), whose data passes its own `emit` however it is read. */
function followSource(body: unknown, listener: StreamListener): void {
  if (methodOf(body, 'getReader')) return followBody(body as ReadableStream<unknown>, listener);
  override(body, 'emit', (run, [event, value]) => {
    if (event === 'data') listener.value(value);
    else if (event === 'end') listener.end('done');
    else if (event === 'error') listener.fail(value);
    else if (event === 'close') listener.end('left');
    return run();
  });
}

/** Receives the pieces of a body. One that came whole and cannot be read gives no event: none could say that its usage is not known. */
function bodyListener(call: ObservedCall): StreamListener {
  const reading = readingBody(call.value);
  return {
    value: (piece) => { if (!call.parsed) quietly(() => reading.add(piece)); },
    end: (ending) => { if (!call.parsed) call.end(ending === 'done' && !reading.finish() ? 'unread' : ending); },
    fail: (error) => { if (!call.parsed) call.fail(error); },
  };
}
