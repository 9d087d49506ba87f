/** A run's story in order: what happened one after the other, and what was left of its budget meanwhile. Pure. */
import type { Shown } from '../api/client.ts';

export type Story = Shown<'RunStory'>;
type Refusal = Shown<'Refusal'>;

export type StoryEntry =
  | { readonly is: 'began'; readonly atMs: number; readonly budget: string | null }
  | {
    readonly is: 'called'; readonly atMs: number; readonly untilMs: number; readonly calls: number; readonly failedCalls: number;
    readonly cost: number;
  }
  | { readonly is: 'lowered'; readonly atMs: number; readonly from: string | null; readonly to: string }
  /** One after the other for the same reason; `last` is the newest. */
  | { readonly is: 'refused'; readonly atMs: number; readonly untilMs: number; readonly times: number; readonly last: Refusal }
  | { readonly is: 'ended'; readonly atMs: number; readonly state: Story['run']['state'] };

/**
 * When the calls of a step started: within the run's own time, though steps begin and end at round moments. A run of a second would seem to end
 * before its calls otherwise.
 */
export function timeOfStep(
  { at }: Pick<Story['steps'][number], 'at'>, { run, stepSeconds }: Pick<Story, 'run' | 'stepSeconds'>,
): { readonly fromMs: number; readonly toMs: number } {
  const fromMs = Math.max(Date.parse(at), Date.parse(run.startedAt));
  const endMs = run.endedAt === null ? Infinity : Date.parse(run.endedAt);
  return { fromMs, toMs: Math.max(fromMs, Math.min(Date.parse(at) + stepSeconds * 1_000, endMs)) };
}

const order = { began: 0, lowered: 1, called: 2, refused: 3, ended: 4 } as const;

/** The earliest first. Calls between two other things that happened are one entry, and so are refusals for one reason. */
export function storyEntries({ run, steps, stepSeconds, lowerings, refusals }: Story): StoryEntry[] {
  const single: StoryEntry[] = [
    { is: 'began', atMs: Date.parse(run.startedAt), budget: firstBudget({ run, lowerings }) },
    ...lowerings.map(({ at, from, to }) => ({ is: 'lowered', atMs: Date.parse(at), from, to }) as const),
    ...steps.map(({ at, calls, failedCalls, cost }) => ({
      is: 'called', atMs: timeOfStep({ at }, { run, stepSeconds }).fromMs, untilMs: Date.parse(at) + stepSeconds * 1_000, calls, failedCalls,
      cost: Number(cost),
    }) as const),
    ...refusals.map((last) => ({ is: 'refused', atMs: Date.parse(last.refusedAt), untilMs: Date.parse(last.refusedAt), times: 1, last }) as const),
    ...(run.endedAt === null ? [] : [{ is: 'ended', atMs: Date.parse(run.endedAt), state: run.state } as const]),
  ];
  return single.toSorted((one, other) => one.atMs - other.atMs || order[one.is] - order[other.is]).reduce<StoryEntry[]>(joined, []);
}

function joined(before: StoryEntry[], next: StoryEntry): StoryEntry[] {
  const last = before.at(-1);
  if (last?.is === 'called' && next.is === 'called') {
    const { calls, failedCalls, cost } = last;
    before[before.length - 1] = {
      ...last, untilMs: next.untilMs, calls: calls + next.calls, failedCalls: failedCalls + next.failedCalls, cost: cost + next.cost,
    };
  } else if (last?.is === 'refused' && next.is === 'refused' && sameReason(last.last, next.last)) {
    before[before.length - 1] = { ...next, atMs: last.atMs, times: last.times + 1 };
  } else {
    before.push(next);
  }
  return before;
}

function sameReason(one: Refusal, other: Refusal): boolean {
  return one.code === other.code && one.scope === other.scope && one.window === other.window;
}

/**
 * What refuses the run now, with the words of a refusal: its end, or else its newest refused call, unless calls went through since. Null: nothing
 * does.
 */
export function refusedNow({ run, refusals: [newest], lastCallAt }: Story): Pick<Refusal, 'code' | 'scope' | 'window'> | null {
  if (run.state !== 'live') return endings[run.state];
  return newest === undefined || (lastCallAt !== null && lastCallAt > newest.refusedAt) ? null : newest;
}

const endings = {
  expired: { code: 'run_expired', scope: null, window: null },
  over_budget: { code: 'budget_exceeded', scope: 'run', window: 'run' },
  closed: { code: 'run_closed', scope: null, window: null },
} as const satisfies Record<Exclude<Story['run']['state'], 'live'>, unknown>;

/** The budget that was in force first; null: none. */
export function firstBudget({ run, lowerings }: Pick<Story, 'run' | 'lowerings'>): string | null {
  return lowerings.length === 0 ? run.effective : lowerings[0]!.from;
}

export interface StoryPoint {
  readonly atMs: number;
  /** US dollars of its calls up to here. */
  readonly spent: number;
  /** In force; null: none yet. */
  readonly budget: number | null;
}

/** How spend and budget went, a point at each change. */
export function storyPoints({ run, steps, stepSeconds, lowerings }: Story): StoryPoint[] {
  const first = firstBudget({ run, lowerings });
  const changes = [
    ...steps.map(({ at, cost }) => ({ atMs: timeOfStep({ at }, { run, stepSeconds }).toMs, cost: Number(cost), budget: null })),
    ...lowerings.map(({ at, to }) => ({ atMs: Date.parse(at), cost: 0, budget: Number(to) })),
  ].toSorted((one, other) => one.atMs - other.atMs);
  const points: StoryPoint[] = [{ atMs: Date.parse(run.startedAt), spent: 0, budget: first === null ? null : Number(first) }];
  for (const { atMs, cost, budget } of changes) {
    const last = points.at(-1)!;
    points.push({ atMs: Math.max(atMs, last.atMs), spent: last.spent + cost, budget: budget ?? last.budget });
  }
  return points;
}

/** The time that is drawn: to the end, unless it came long after everything else. */
export function storySpan(
  { run, steps, stepSeconds, lowerings, refusals }: Story, nowMs: number,
): { readonly fromMs: number; readonly toMs: number } {
  const fromMs = Date.parse(run.startedAt);
  const last = Math.max(
    fromMs + 1_000, ...steps.slice(-1).map((step) => timeOfStep(step, { run, stepSeconds }).toMs),
    ...lowerings.slice(-1).map(({ at }) => Date.parse(at)),
    ...refusals.slice(0, 1).map(({ refusedAt }) => Date.parse(refusedAt)),
  );
  const end = run.endedAt === null ? nowMs : Date.parse(run.endedAt);
  return { fromMs, toMs: end <= fromMs + (last - fromMs) * 1.5 ? Math.max(end, last) : last };
}
