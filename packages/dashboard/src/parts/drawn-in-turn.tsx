/** Sections of a long page, drawn one with each frame, so that no task of the browser draws them all. */
import { Children, startTransition, useEffect, useState, type ReactNode } from 'react';
import { Coming } from './states.tsx';

export function DrawnInTurn({ children }: { readonly children: ReactNode }) {
  const all = Children.toArray(children);
  const [count, setCount] = useState(1);
  const isWhole = count >= all.length;
  useEffect(() => {
    if (isWhole) return;
    const frame = requestAnimationFrame(() => startTransition(() => setCount(count + 1)));
    return () => cancelAnimationFrame(frame);
  }, [count, isWhole]);
  return (
    <>
      {isWhole ? all : all.slice(0, count)}
      {isWhole ? null : <Coming />}
    </>
  );
}
