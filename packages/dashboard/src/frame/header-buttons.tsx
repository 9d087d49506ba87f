/** The header's buttons, the same before and after their menus are loaded. */
import { ActionIcon, Button, useComputedColorScheme, type ActionIconProps } from '@mantine/core';
import { ChevronsUpDown, CircleUserRound, Moon, Sun } from 'lucide-react';
import type { ComponentPropsWithRef } from 'react';

type Given = ComponentPropsWithRef<'button'> & Pick<ActionIconProps, 'loading'>;

export function AccountButton(props: Given) {
  return (
    <ActionIcon variant="default" size="md" aria-label="Your account" {...props}>
      <CircleUserRound size={16} aria-hidden />
    </ActionIcon>
  );
}

export function ThemeButton(props: Given) {
  const shown = useComputedColorScheme('light');
  return (
    <ActionIcon variant="default" size="md" aria-label="Colors of the page" {...props}>
      {shown === 'dark' ? <Moon size={16} aria-hidden /> : <Sun size={16} aria-hidden />}
    </ActionIcon>
  );
}

export function OrganizationButton({ name, ...props }: ComponentPropsWithRef<'button'> & { readonly name: string }) {
  return (
    <Button
      variant="subtle"
      color="gray"
      c="var(--mantine-color-text)"
      size="compact-sm"
      maw={220}
      rightSection={<ChevronsUpDown size={14} aria-hidden />}
      aria-label={`Organization: ${name}`}
      {...props}>
      <span className="clip">{name}</span>
    </Button>
  );
}
