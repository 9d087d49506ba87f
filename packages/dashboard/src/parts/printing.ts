/** Whether the page is being put on paper, or is shown as paper would be. */
import { useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';

const paper = 'print';

/** The page is drawn again before the browser's own code goes on, which prints what is there then. */
export function usePrinting(): boolean {
  const [is, set] = useState(false);
  useLayoutEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const media = matchMedia(paper);
    set(media.matches);
    media.addEventListener('change', ({ matches }) => set(matches), { signal });
    addEventListener('beforeprint', () => flushSync(() => set(true)), { signal });
    addEventListener('afterprint', () => set(false), { signal });
    return () => ending.abort();
  }, []);
  return is;
}
