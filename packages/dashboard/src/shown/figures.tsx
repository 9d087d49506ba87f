/** Money, counts and moments in a page: short to read, in full on hover. */
import { useSyncExternalStore } from 'react';
import { shortCount, shortDollars, wholeCount, wholeDollars } from './amounts.ts';
import { agoOrAhead, ownMoment, utcClock, utcDay, utcMoment } from './moments.ts';

/** Null: unknown, which is not zero. */
export function Money({ amount, none = 'unknown' }: { readonly amount: string | null | undefined; readonly none?: string }) {
  if (amount === null || amount === undefined) return <span className="dim">{none}</span>;
  return (
    <data className="figure nowrap" value={amount} title={wholeDollars(amount)}>
      {shortDollars(amount)}
    </data>
  );
}

export function Count({ of }: { readonly of: number | null | undefined }) {
  if (of === null || of === undefined) return <span className="dim">not reported</span>;
  return (
    <data className="figure nowrap" value={of} title={wholeCount(of)}>
      {shortCount(of)}
    </data>
  );
}

/** In UTC; in the reader's own zone on hover. */
export function Moment({
  at,
  none = '–',
  relative = false,
}: {
  readonly at: string | null | undefined;
  readonly none?: string;
  readonly relative?: boolean;
}) {
  if (at === null || at === undefined) return <span className="dim">{none}</span>;
  if (relative) return <Relative at={at} />;
  const date = new Date(at);
  return (
    <time className="nowrap" dateTime={at} title={ownMoment(date)}>
      {utcMoment(date)}
    </time>
  );
}

/** How long ago it was, or how far ahead it is, also after the page has been open for a while. */
function Relative({ at }: { readonly at: string }) {
  useSyncExternalStore(everyTick, tick);
  const date = new Date(at);
  return (
    <time className="nowrap" dateTime={at} title={`${utcMoment(date)} · ${ownMoment(date)}`}>
      {agoOrAhead(date, Date.now())}
    </time>
  );
}

const tickMs = 10_000;

function everyTick(tell: () => void): () => void {
  const ticking = setInterval(tell, tickMs);
  return () => clearInterval(ticking);
}

function tick(): number {
  return Math.floor(Date.now() / tickMs);
}

/** The time of day, and the day below it. */
export function MomentInTwo({ at }: { readonly at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={ownMoment(date)}>
      <div>{utcClock(date)}</div>
      <div className="dim small">{utcDay(date)}</div>
    </time>
  );
}
