/** What the main thread of a page did in its tasks, from Chromium's own trace. */
import type { Browser, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** When it began, microseconds. */
  readonly ts: number;
  /** Its length, microseconds. */
  readonly dur?: number;
  /** The processor time of its thread, microseconds. */
  readonly tdur?: number;
}

/** One task of the main thread. All figures in milliseconds. */
export interface PageTask {
  /** Since the first navigation. */
  readonly atMs: number;
  readonly wallMs: number;
  /** What it took of the processor: the wall time, were the machine quiet. */
  readonly processorMs: number;
  /** Processor time of each kind of work, without what was done inside it; longest first. */
  readonly did: readonly (readonly [kind: string, processorMs: number])[];
}

/** Tasks shorter than this are left out, and so is what took less than the second of a task. */
const shortestMs = 10;
const leastMs = 1;
const kinds = new Set([
  'EvaluateScript', 'v8.compile', 'v8.compileModule', 'v8.evaluateModule', 'v8.produceCache', 'FunctionCall', 'RunMicrotasks', 'TimerFire',
  'FireAnimationFrame', 'EventDispatch', 'UpdateLayoutTree', 'Layout', 'PrePaint', 'Paint', 'Layerize', 'Commit', 'HitTest', 'ParseHTML',
  'ParseAuthorStyleSheet', 'MajorGC', 'MinorGC', 'V8.GCScavenger', 'V8.GC_MARK_COMPACTOR', 'HandlePostMessage',
]);

/** The tasks while `work` ran, by processor time, longest first. */
export async function tasksIn(browser: Browser, page: Page, work: () => Promise<unknown>): Promise<readonly PageTask[]> {
  await browser.startTracing(page, { categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'v8'] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString('utf8')) as { readonly traceEvents: readonly TraceEvent[] };
  const thread = mainThread(traceEvents);
  const events = traceEvents.filter((event) => threadOf(event) === thread && event.dur !== undefined).toSorted((one, other) => one.ts - other.ts);
  const first = traceEvents.find(({ name }) => name === 'navigationStart')?.ts ?? events[0]?.ts ?? 0;
  return events.filter(({ name, tdur = 0 }) => name === 'RunTask' && tdur > shortestMs * 1_000).map((task): PageTask => {
    const inside = events.filter(({ name, ts }) => kinds.has(name) && ts >= task.ts && ts < task.ts + task.dur!);
    return { atMs: (task.ts - first) / 1_000, wallMs: task.dur! / 1_000, processorMs: task.tdur! / 1_000, did: did(inside) };
  }).toSorted((one, other) => other.processorMs - one.processorMs);
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid} ${tid}`;
}

/** The thread that lays out most: a browser has one for each page and frame. */
function mainThread(events: readonly TraceEvent[]): string | undefined {
  const times = new Map<string, number>();
  for (const event of events) if (event.name === 'UpdateLayoutTree') times.set(threadOf(event), (times.get(threadOf(event)) ?? 0) + 1);
  return [...times].toSorted((one, other) => other[1] - one[1])[0]?.[0];
}

function did(events: readonly TraceEvent[]): PageTask['did'] {
  const sums = new Map<string, number>();
  const add = (name: string, us: number): void => void sums.set(name, (sums.get(name) ?? 0) + us / 1_000);
  const open: TraceEvent[] = [];
  for (const event of events) {
    while (open.length > 0 && open.at(-1)!.ts + open.at(-1)!.dur! <= event.ts) open.pop();
    if (open.length > 0) add(open.at(-1)!.name, -(event.tdur ?? 0));
    add(event.name, event.tdur ?? 0);
    open.push(event);
  }
  return [...sums].filter(([, ms]) => ms >= leastMs).toSorted((one, other) => other[1] - one[1]);
}
