/** A header button whose menu is loaded when it is first wanted: on touch, on focus, or under the pointer. */
import { Suspense, useState, type ComponentType, type ReactNode } from 'react';

/** The content of the button. */
export interface MenuButtonProps {
  readonly onClick: () => void;
  readonly onPointerEnter: () => void;
  readonly onFocus: () => void;
  readonly 'aria-haspopup': 'menu';
}

export function MenuOnDemand({
  menu: Menu,
  load,
  button,
}: {
  /** Lazy; opens as soon as it is loaded. */
  readonly menu: ComponentType;
  readonly load: () => unknown;
  readonly button: (props: MenuButtonProps) => ReactNode;
}) {
  const [wanted, setWanted] = useState(false);
  const alone = button({
    onClick: () => setWanted(true),
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
    'aria-haspopup': 'menu',
  });
  return wanted ? (
    <Suspense fallback={alone}>
      <Menu />
    </Suspense>
  ) : (
    alone
  );
}
