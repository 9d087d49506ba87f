/**
 * A link in the rows of a long table. The router's own works out its address by all of the router's rules and then follows every change of the
 * address, which costs more than the rest of its row, and rows come and go with every frame of a scroll.
 */
import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { addressWith } from '../app/address-words.ts';
import type { CallsSearch, PathSearch } from '../app/page-search.ts';

/** So long does a pointer rest on a link before its page is loaded ahead, as on the router's own. Milliseconds. */
const restMs = 50;
let resting: ReturnType<typeof setTimeout> | undefined;
const leave = (): void => clearTimeout(resting);

export function RowLink({ to, search, title, children }: {
  readonly to: '/calls' | '/keys';
  readonly search: CallsSearch | PathSearch;
  /** The whole name, which is under the pointer: in the row it may be cut. */
  readonly title?: string | undefined;
  readonly children: ReactNode;
}) {
  const router = useRouter();
  const place = { to, search: search as never };
  const open = (event: MouseEvent): void => {
    // Those open another tab or window, which is the browser's to do.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate(place);
  };
  const rest = (): void => {
    leave();
    resting = setTimeout(() => void router.preloadRoute(place), restMs);
  };
  return (
    <a href={to + addressWith({ ...search })} className="clip plain" title={title} onClick={open} onPointerEnter={rest} onPointerLeave={leave}>
      {children}
    </a>
  );
}
