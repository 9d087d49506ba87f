/** A header button whose menu is loaded when it is first wanted: on touch, on focus, or under the pointer. */
import { useState, type ReactNode } from 'react';
import type { OnDemand } from '../parts/on-demand.tsx';

/** The content of the button. */
interface MenuButtonProps {
  readonly onClick: () => void;
  readonly onPointerEnter: () => void;
  readonly onFocus: () => void;
  readonly 'aria-haspopup': 'menu';
}

export function MenuOnDemand({
  menu: Menu,
  button,
}: {
  /** Opens as soon as it is loaded. */
  readonly menu: OnDemand<object>;
  readonly button: (props: MenuButtonProps) => ReactNode;
}) {
  const [wanted, setWanted] = useState(false);
  const ahead = (): void => void Menu.ahead().catch(() => undefined);
  const alone = button({
    onClick: () => setWanted(true),
    onPointerEnter: ahead,
    onFocus: ahead,
    'aria-haspopup': 'menu',
  });
  return wanted ? <Menu waiting={alone} /> : alone;
}
