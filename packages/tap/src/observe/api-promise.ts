/**
 * Follows the promise of the OpenAI and Anthropic SDKs (and others made the same way): it parses the body only when the host asks, so it is
 * never awaited here. The head is observed through its `responsePromise`, the answer through its `parseResponse` and `_thenUnwrap`. If the
 * host takes the bare response with `asResponse` or `withResponse`, that response's own methods are observed.
 */
import { at, methodOf, quietly } from './look.ts';
import { followAnswer } from './follow-answer.ts';
import { followResponse } from './follow-response.ts';
import { lookAtReturned, override, put } from './in-place.ts';
import { observeOutcome } from './follow-stream.ts';
import type { ObservedCall } from './call.ts';
import type { Method } from './look.ts';

/** Follows a promise to the end of its call; any other kind of promise is not observed. */
export function followApiPromise(promise: unknown, call: ObservedCall): void {
  const coming = at(promise, 'responsePromise');
  if (!methodOf(coming, 'then') || !methodOf(promise, 'parseResponse')) return;
  let response: unknown;
  let bare = false;
  let answered = false;
  // Replaces the SDK's own promise, so that a rejection the host does not handle remains unhandled.
  const head = observeOutcome(coming, (props) => {
    response = at(props, 'response');
    call.head(response, at(props, 'options.signal'));
    if (bare) followResponse(response, call);
  }, call.fail);

  /** Takes the answer as it came over the wire, before any helper of the SDK transforms it. */
  const takeAnswer = (data: unknown, props: unknown): void => {
    if (answered) return;
    answered = true;
    if (at(props, 'response') !== response) call.head(at(props, 'response')); // it was fetched again while the body was read
    followAnswer(data, call);
  };
  const attach = (one: unknown): void => {
    put(one as object, 'responsePromise', head);
    override(one, 'parseResponse', (run, args) => {
      if (!answered) call.parsed = true;
      return observeOutcome(run(), (data) => takeAnswer(data, args.at(-1)), call.fail);
    });
    override(one, '_thenUnwrap', (run, [transform]) => {
      const outer = run([(data: unknown, props: unknown) => {
        quietly(() => takeAnswer(data, props));
        return (transform as Method)(data, props);
      }]);
      quietly(() => attach(outer));
      return outer;
    });
    for (const name of ['asResponse', 'withResponse']) {
      lookAtReturned(one, name, () => {
        if (!bare && response) followResponse(response, call);
        bare = true;
      });
    }
  };
  attach(promise);
}
