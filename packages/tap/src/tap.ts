/**
 * The package's entry: `tap(client, tag)` has the model calls of a provider client observed and reported, one content-free event
 * each. It returns the same object it was given and throws for one reason only: a tag that no event could carry.
 */
import { postBlocking } from './reporting/blocking-post.ts';
import { badEndpoint, cannotPost, inspect, inspectDespiteKey, noKey, noticeLine, notObserved } from './notices.ts';
import { quietly } from './observe/look.ts';
import { observe, settleOpenCalls } from './observe/observe.ts';
import { postBatch } from './reporting/post.ts';
import { listenToEnds, noteWaiting } from './reporting/process-end.ts';
import { createReporter, type Reporter, type Transport } from './reporting/reporter.ts';
import { after, canPost, hostProcess, loadNodeModules, monotonicMs, print, uuid, wallMs } from './runtime.ts';
import { tapSettingsOf, type TapOptions } from './settings.ts';
import { eventJson, keeps, tagRule } from './tap-event.ts';

export type { TapOptions } from './settings.ts';

/** What is known about one wrapped client. */
interface Wrapped {
  tag: string;
  /** Undefined if nothing is reported: no key, no endpoint. */
  reporter?: Reporter | undefined;
  /** Notices that were printed for the user, once each. */
  readonly shown: Set<string>;
}

const wrappedClients = new WeakMap<object, Wrapped>();
/** One reporter for each key and endpoint, so that a key's answers count for the whole process; one for inspect mode. */
const reporters = new Map<string, Reporter>();

/**
 * Has every model call of this client reported under a tag. A second `tap` on the same client changes its tag, and its settings
 * if options are given.
 * @param client of `openai`, `@anthropic-ai/sdk`, `@google/genai`, `@mistralai/mistralai`, the Vercel AI SDK, or of the same shape.
 * @param tag 1 to 64 characters from `A-Z a-z 0-9 . _ : -`; the only text of yours that is sent.
 * @returns the same client.
 * @throws TypeError for any other tag; for nothing else.
 */
export function tap<Client>(client: Client, tag: string, options?: TapOptions): Client {
  if (!keeps(tag, tagRule)) throw new TypeError('tap: the tag must be 1 to 64 of A-Z a-z 0-9 . _ : -');
  // Whatever the client or the options are made of, the caller keeps its client as it is.
  quietly(() => wrap(client as object, tag, options));
  return client;
}

/** Throws for what is not an object. */
function wrap(client: object, tag: string, options: TapOptions | undefined): void {
  const known = wrappedClients.get(client);
  const wrapped: Wrapped = known ?? { tag, shown: new Set<string>() };
  wrappedClients.set(client, wrapped);
  wrapped.tag = tag;
  const printOnce = (notice: string): void => {
    if (!wrapped.shown.has(notice)) print(noticeLine(notice));
    wrapped.shown.add(notice);
  };
  if (!known || options) wrapped.reporter = reporterOf(options, printOnce);
  if (!wrapped.reporter) return;
  const observed = observe(client, (seen) => {
    const event = wrapped.reporter && eventJson(seen, { tag: wrapped.tag, nowMs: wallMs(), uuid });
    if (event) wrapped.reporter!.add(event);
  }, () => printOnce(notObserved));
  loadNodeModules();
  if (observed) listenToEnds(settleOpenCalls);
  else printOnce(notObserved);
}

/** The reporter for these options; if they make no valid one, `printOnce` gets the reason. */
function reporterOf(options: TapOptions | undefined, printOnce: (notice: string) => void): Reporter | undefined {
  const { key, endpoint, inspecting } = tapSettingsOf(options, (name) => quietly(() => hostProcess!.env[name]));
  const name = inspecting ? '' : `${endpoint} ${key}`;
  const wrong = !inspecting && (key ? !endpoint && badEndpoint : noKey);
  if (wrong) return void printOnce(wrong);
  let reporter = reporters.get(name);
  if (!reporter) {
    const destination = { endpoint: endpoint!, key: key! };
    const transport: Transport = inspecting ? inspectTransport : {
      post: (body) => postBatch(destination, body),
      postBlocking: (bodies, answered, deadlineMs) => postBlocking(destination, bodies, answered, deadlineMs),
    };
    reporter = createReporter({ monotonicMs, after, print, waiting: (waits) => noteWaiting(reporter!, waits), ...transport });
    if (inspecting) print(noticeLine(key ? inspectDespiteKey : inspect));
    else if (!canPost && !reporters.size) print(noticeLine(cannotPost));
    reporters.set(name, reporter);
  }
  return reporter;
}

/** Prints what would be posted, byte for byte, and counts it as delivered. */
const inspectTransport: Transport = {
  async post(body) {
    print(body);
    return { status: 202, closed: false };
  },
  postBlocking: (bodies) => bodies.forEach((body) => print(body)),
};
