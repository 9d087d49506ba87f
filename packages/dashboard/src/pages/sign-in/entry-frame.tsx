/** The frame of the pages before a session: one card in the middle. */
import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Brand } from '../../app/brand.tsx';

export function EntryFrame({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly children: ReactNode;
}) {
  useDocumentTitle(`${title} · Metergate`);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Center>
          <Brand />
        </Center>
        <Paper className="panel" p={{ base: 'lg', xs: 'xl' }}>
          <Title order={1} fz="xl">
            {title}
          </Title>
          {about === undefined ? null : (
            <Text c="dimmed" size="sm" mt={4}>
              {about}
            </Text>
          )}
          <div style={{ marginTop: '1.25rem' }}>{children}</div>
        </Paper>
      </Stack>
      <div id="over-page" />
    </Center>
  );
}
