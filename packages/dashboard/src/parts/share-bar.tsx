/**
 * The bar behind a row, as long as the row's share of the whole (docs/decisions/0097). A whole row is 100 %, so the bar means what the
 * percentage in the row says, whatever the largest row is.
 */

interface ShareBarProps {
  readonly part: number;
  /** The whole that the share is of, in the same unit; undefined: not known yet. */
  readonly of: number | undefined;
}

export function ShareBar({ part, of }: ShareBarProps) {
  return <i style={{ width: `${barShare(part, of) * 100}%` }} />;
}

/** From 0 to 1. */
function barShare(part: number, of: number | undefined): number {
  return of === undefined || of <= 0 ? 0 : Math.min(1, Math.max(0, part / of));
}
