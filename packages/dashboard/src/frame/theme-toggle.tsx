/** Light, dark, or as the system is set. */
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
  // The button from before the menu is gone, so the one in its place gets the focus.
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
