/**
 * The names of a row's buttons and links: what is written on each, and what the row is called. Otherwise a screen reader that lists the buttons
 * of a page has nothing to tell them apart by.
 */
import { Button, type ButtonProps } from '@mantine/core';
import { createContext, useContext, useId, type ComponentPropsWithoutRef } from 'react';

/** The ids of the cells that say what the row is called. */
export const RowCalled = createContext<string | null>(null);

/** For an element in a cell of actions. */
export function useNamedByRow() {
  const id = useId();
  const called = useContext(RowCalled);
  return called === null ? {} : { id, 'aria-labelledby': `${id} ${called}` };
}

export function RowButton(props: ButtonProps & ComponentPropsWithoutRef<'button'>) {
  return <Button size="compact-sm" variant="default" {...useNamedByRow()} {...props} />;
}
