/**
 * Follows a bare `Response` that the host took from the SDK, if the host reads JSON by `json` or `text`. Read in any other way, the call has
 * only what its head says and figures of zero, and it is reported once the host has released the response.
 */
import { followAnswer } from './follow-answer.ts';
import { override } from './in-place.ts';
import { observeOutcome } from './follow-stream.ts';
import { quietly } from './look.ts';
import type { Call } from './call.ts';

/** Follows the response, unless the SDK itself reads it. */
export function followResponse(response: unknown, call: Call): void {
  for (const name of ['json', 'text']) {
    override(response, name, (run) => (call.parsed ? run() : observeOutcome(run(), (body) => {
      quietly(() => followAnswer(name === 'json' ? body : JSON.parse(body as string), call));
      call.end('done');
    }, call.fail)));
  }
}
