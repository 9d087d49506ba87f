/** How much of an amount is spent, as a bar: yellow from four fifths on, red once it is all. */
import { Progress } from '@mantine/core';

interface SpentBarProps {
  /** From 0 on; 1: all of it. */
  readonly part: number;
  readonly label: string;
  /** What the color says, if it is not how much is spent. */
  readonly color?: 'red' | 'yellow' | 'tide';
  /** Something stands above it. */
  readonly below?: boolean;
}

export function SpentBar({ part, label, color = part >= 1 ? 'red' : part >= 0.8 ? 'yellow' : 'tide', below = false }: SpentBarProps) {
  return <Progress size="sm" mt={below ? 4 : undefined} value={percentOf(part)} aria-label={label} color={color} />;
}

/** Of one digit after the point: it is read aloud, and a number such as `5e-8` is none to a screen reader. */
export function percentOf(part: number): number {
  return Math.round(Math.min(1, part) * 1_000) / 10;
}
