/**
 * The package's entry: `tap(client, tag)` has the model calls of a provider client observed and reported, one content-free event
 * each. It returns the very object it was given and throws for one reason only: a tag that no event could carry.
 */
import { postBlocking } from './blocking-post.ts';
import { postByFetch } from './fetch-post.ts';
import { InspectPrinter } from './inspect-printer.ts';
import { noticeLine, type Notice } from './notices.ts';
import { observe } from './observe/observe.ts';
import { noteWaiting } from './process-end.ts';
import { Reporter } from './reporter.ts';
import { after, hold, hostProcess, monotonicMs, print, uuid, wallMs } from './runtime.ts';
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
/** One reporter for each key and endpoint, so that what a key's answers mean holds for the process. */
const reporters = new Map<string, Reporter>();
let printer: InspectPrinter | null = null;

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
  if (!wrapped.observed) tell(wrapped, 'notObserved');
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
  if (inspect) return inspectPrinter(key !== null);
  if (key === null) return tell(wrapped, 'noKey');
  if (endpoint === null) return tell(wrapped, 'badEndpoint');
  const name = `${endpoint} ${key}`;
  const reporter = reporters.get(name) ?? reporterOf(endpoint, key);
  reporters.set(name, reporter);
  return reporter;
}

function reporterOf(endpoint: string, key: string): Reporter {
  const destination = { endpoint, key };
  const reporter: Reporter = new Reporter({
    monotonicMs, after, hold, print,
    post: (body) => postByFetch(destination, body),
    postBlocking: (bodies, answered) => postBlocking(destination, bodies, answered),
    waiting: (waits) => noteWaiting(reporter, waits),
  });
  return reporter;
}

function inspectPrinter(keyConfigured: boolean): InspectPrinter {
  if (printer !== null) return printer;
  const made: InspectPrinter = new InspectPrinter({ after, print, waiting: (waits) => noteWaiting(made, waits) });
  printer = made;
  print(noticeLine(keyConfigured ? 'inspectDespiteKey' : 'inspect'));
  return made;
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
