/**
 * A run's budget over its time: what is left burns down, refused calls and the end stand on the line. A picture of what the list beside it says,
 * so that nobody needs the picture.
 */
import { shortDollars, shortMs } from '../../shown/amounts.ts';
import { utcClock } from '../../shown/moments.ts';
import { storyPoints, storySpan, timeOfStep, type Story, type StoryPoint } from '../../shown/run-story.ts';

const wide = 720;
const high = 150;
/** Room for the marks above, the calls below, and what came last at the right. */
const room = { top: 14, bottom: 26, right: 12 } as const;
/** A bar of calls is no wider, so that few calls do not look like many. */
const barWidest = 10;

export function StoryChart({ of: story }: { readonly of: Story }) {
  const { fromMs, toMs } = storySpan(story, Date.now());
  const points = storyPoints(story);
  const ends: StoryPoint = { ...points.at(-1)!, atMs: toMs };
  const line = [...points, ends];
  const hasBudget = line.some(({ budget }) => budget !== null);
  const value = (point: StoryPoint): number => (hasBudget ? Math.max(0, (point.budget ?? 0) - point.spent) : point.spent);
  const most = Math.max(...line.map((point) => Math.max(value(point), hasBudget ? (point.budget ?? 0) : 0)), 1e-9);
  const x = (ms: number): number => ((Math.min(Math.max(ms, fromMs), toMs) - fromMs) / (toMs - fromMs)) * (wide - room.right);
  const y = (amount: number): number => room.top + (1 - amount / most) * (high - room.top - room.bottom);
  const stairs = (amount: (point: StoryPoint) => number): string =>
    line.map((point, at) => (at === 0 ? `M0 ${y(amount(point))}` : `H${x(point.atMs).toFixed(1)}V${y(amount(point)).toFixed(1)}`)).join('');
  const floor = y(0);
  const busiest = Math.max(...story.steps.map(({ calls }) => calls), 1);
  const stepMs = story.stepSeconds * 1_000;
  const middleOf = (at: string): number => {
    const { fromMs: stepFrom, toMs: stepTo } = timeOfStep({ at }, story);
    return x((stepFrom + stepTo) / 2);
  };
  const barWide = Math.min(barWidest, Math.max(1.5, (stepMs * wide) / (toMs - fromMs) - 0.5));
  return (
    <figure className="story">
      <span className="story-amount">{shortDollars(most.toFixed(9))}</span>
      <svg viewBox={`0 0 ${wide} ${high}`} preserveAspectRatio="none" role="img" aria-label={said(story, hasBudget)}>
        <path className="story-left" d={`${stairs(value)}V${floor}H0Z`} />
        <path className="story-line" d={stairs(value)} />
        {hasBudget ? <path className="story-budget" d={stairs(({ budget }) => budget ?? 0)} /> : null}
        <line className="story-floor" x1={0} x2={wide} y1={floor} y2={floor} />
        {story.steps.map(({ at, calls, failedCalls }) => (
          <rect
            key={at}
            className={failedCalls > 0 ? 'story-calls failed' : 'story-calls'}
            x={Math.max(0, middleOf(at) - barWide / 2)}
            width={barWide}
            y={floor + 4}
            height={4 + 16 * (calls / busiest)}
          />
        ))}
        {story.refusals.map(({ id, refusedAt }) => (
          <line key={id} className="story-refused" x1={x(Date.parse(refusedAt))} x2={x(Date.parse(refusedAt))} y1={2} y2={floor} />
        ))}
        {story.run.endedAt === null ? null : (
          <line className="story-end" x1={x(Date.parse(story.run.endedAt))} x2={x(Date.parse(story.run.endedAt))} y1={2} y2={high} />
        )}
      </svg>
      <figcaption>
        <span>{utcClock(new Date(fromMs))}</span>
        <span className="story-key">
          {shortMs(toMs - fromMs)}
          <i className="left" /> {hasBudget ? 'budget left' : 'spent'}
          {story.refusals.length === 0 ? null : (
            <>
              <i className="refused" /> refused
            </>
          )}
          <i className="calls" /> calls
        </span>
        <span>{utcClock(new Date(toMs))}</span>
      </figcaption>
    </figure>
  );
}

function said({ run, refusals }: Story, hasBudget: boolean): string {
  const budget = hasBudget && run.effective !== null ? ` of ${shortDollars(run.effective)}` : '';
  return `Spent ${shortDollars(run.spent)}${budget} over its time; ${refusals.length} refused`;
}
