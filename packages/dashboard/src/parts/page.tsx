/** The head of a page: its title, its purpose and its actions. */
import { Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { BrokenPart } from './broken-part.tsx';

interface PageProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, about, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Metergate`);
  return (
    <Stack gap="md" maw={1400} mx="auto">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Stack gap={2} className="grow" miw={240}>
          <Title order={1}>{title}</Title>
          {about === undefined ? null : (
            <Text c="dimmed" size="sm">
              {about}
            </Text>
          )}
        </Stack>
        {actions === undefined ? null : (
          <Group gap="xs" className="page-actions no-print">
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </Stack>
  );
}

/** A section of a page with its heading. */
export function Panel({
  title,
  about,
  actions,
  children,
  flush = false,
}: {
  readonly title?: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly flush?: boolean;
}) {
  return (
    <section className="panel">
      {title === undefined ? null : (
        <Group className="panel-head" justify="space-between" gap="xs">
          <div>
            <Title order={2} fz="md">
              {title}
            </Title>
            {about === undefined ? null : (
              <Text size="xs" c="dimmed">
                {about}
              </Text>
            )}
          </div>
          {actions}
        </Group>
      )}
      {flush ? <BrokenPart>{children}</BrokenPart> : <div style={{ padding: '1rem' }}><BrokenPart>{children}</BrokenPart></div>}
    </section>
  );
}
