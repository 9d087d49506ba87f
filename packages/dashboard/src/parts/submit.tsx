/** The button that ends a form. */
import { Button, Group, type ButtonProps } from '@mantine/core';

export function Submit({ busy, ...button }: ButtonProps & { readonly busy: boolean }) {
  return (
    <Group justify="flex-end">
      <Button type="submit" loading={busy} {...button} />
    </Group>
  );
}
