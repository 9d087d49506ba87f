/**
 * The package's entry: `tap(client, tag)` has the model calls of a provider client observed and reported, one content-free event
 * each. It returns the very object it was given and throws for one reason only: a tag that no event could carry.
 */
import { postBlocking } from './blocking-post.ts';
import { noticeLine, type Notice } from './notices.ts';
import { observe, settleOpenCalls } from './observe/observe.ts';
import { postBatch } from './post.ts';
import { listenToEnds, noteWaiting } from './process-end.ts';
import { createReporter, type Reporter, type Transport } from './reporter.ts';
import { after, hostProcess, loadNodeModules, monotonicMs, print, uuid, wallMs } from './runtime.ts';
import type { SeenCall } from './seen-call.ts';
import { settingsOf, type Settings, type TapOptions } from './settings.ts';
import { eventJson, isTag } from './tap-event.ts';

export type { TapOptions } from './settings.ts';

/** What is known of one wrapped client. */
interface Wrapped {
  tag: string;
  /** Null where nothing is reported: no key, no endpoint. */
  report: { add(event: string): void } | null;
  observed: boolean;
  readonly told: Set<Notice>;
}

const wrappedClients = new WeakMap<object, Wrapped>();
/** One reporter for each key and endpoint, so that what a key's answers mean holds for the process; one for inspect mode. */
const reporters = new Map<string, Reporter>();

/**
 * Has every model call of this client reported under a tag. A second `tap` on the same client changes its tag, and its settings
 * where options are given.
 * @param client of `openai`, `@anthropic-ai/sdk`, `@google/genai`, `@mistralai/mistralai`, the Vercel AI SDK, or of the same shape.
 * @param tag 1 to 64 characters from `A-Z a-z 0-9 . _ : -`; the only text of yours that is sent.
 * @returns the same client.
 * @throws TypeError for any other tag; for nothing else.
 */
export function tap<Client>(client: Client, tag: string, options?: TapOptions): Client {
  if (!isTag(tag)) throw new TypeError('tap: the tag must be 1 to 64 characters from A-Z a-z 0-9 . _ : -');
  try {
    wrap(client, tag, options);
  } catch {
    // Whatever the client or the options are made of, the caller goes on with its client as it is.
  }
  return client;
}

function wrap(client: unknown, tag: string, options: TapOptions | undefined): void {
  if ((typeof client !== 'object' || client === null) && typeof client !== 'function') return;
  const known = wrappedClients.get(client);
  const wrapped = known ?? { tag, report: null, observed: false, told: new Set<Notice>() };
  wrappedClients.set(client, wrapped);
  wrapped.tag = tag;
  if (known === undefined || options !== undefined) wrapped.report = reportOf(settingsOf(options, environment), wrapped);
  if (wrapped.report === null || wrapped.observed) return;
  wrapped.observed = observe(client, (seen) => take(wrapped, seen));
  loadNodeModules();
  if (wrapped.observed) listenToEnds(settleOpenCalls);
  else tell(wrapped, 'notObserved');
}

/** One seen call, from the observer: never throws. */
function take(wrapped: Wrapped, seen: SeenCall): void {
  try {
    if (wrapped.report === null) return;
    const event = eventJson(seen, { tag: wrapped.tag, nowMs: wallMs(), uuid });
    if (event !== null) wrapped.report.add(event);
  } catch {
    // An event is dropped rather than felt.
  }
}

/** Where the events of these settings go; says once for each client why they go nowhere. */
function reportOf({ key, endpoint, inspect }: Settings, wrapped: Wrapped): Wrapped['report'] {
  if (inspect) return reporterOf('', inspectTransport, () => print(noticeLine(key === null ? 'inspect' : 'inspectDespiteKey')));
  if (key === null) return tell(wrapped, 'noKey');
  if (endpoint === null) return tell(wrapped, 'badEndpoint');
  const destination = { endpoint, key };
  return reporterOf(`${endpoint} ${key}`, {
    post: (body) => postBatch(destination, body),
    postBlocking: (bodies, answered) => postBlocking(destination, bodies, answered),
  });
}

/** Prints what would be posted, byte for byte, and takes it as delivered. */
const inspectTransport: Transport = {
  post(body) {
    print(body);
    return { answer: Promise.resolve({ status: 202, code: null }), abandon: () => undefined };
  },
  postBlocking: (bodies) => bodies.forEach((body) => print(body)),
};

/** The reporter of that name, made by its first client. */
function reporterOf(name: string, transport: Transport, made?: () => void): Reporter {
  let reporter = reporters.get(name);
  if (reporter === undefined) {
    const waiting = (waits: boolean): void => noteWaiting(reporter!, waits);
    reporter = createReporter({ monotonicMs, after, print, waiting, ...transport });
    reporters.set(name, reporter);
    made?.();
  }
  return reporter;
}

function tell(wrapped: Wrapped, notice: Notice): null {
  if (!wrapped.told.has(notice)) print(noticeLine(notice));
  wrapped.told.add(notice);
  return null;
}

function environment(name: string): string | undefined {
  try {
    return hostProcess?.env?.[name];
  } catch {
    return undefined;
  }
}
