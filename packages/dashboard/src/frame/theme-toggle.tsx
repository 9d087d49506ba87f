/** Light, dark, or as the system says. */
import { Menu, useMantineColorScheme } from '@mantine/core';
import { Check, Monitor, Moon, Sun } from 'lucide-react';
import { useRef } from 'react';
import { ThemeButton } from './header-buttons.tsx';

const choices = [
  { value: 'light', name: 'Light', icon: Sun },
  { value: 'dark', name: 'Dark', icon: Moon },
  { value: 'auto', name: 'As the system', icon: Monitor },
] as const;

export function ThemeToggle() {
  // The button that was there before the menu is gone, so the focus is given to the one in its place.
  const target = useRef<HTMLButtonElement>(null);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" defaultOpened onClose={() => target.current?.focus()}>
      <Menu.Target>
        <ThemeButton ref={target} />
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map(({ value, name, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={14} aria-hidden />}
            rightSection={colorScheme === value ? <Check size={14} aria-label="chosen" /> : null}
            onClick={() => setColorScheme(value)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
