/** Shown in place of a page that does not exist or failed. It says what happened and what to do. */
import { Button, Center, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Refused, sentenceOf } from '../api/client.ts';

export function NotFoundPage() {
  return (
    <Center component="main" mih="60dvh" p="md">
      <Stack align="center" gap="xs">
        <Title order={1}>There is no such page</Title>
        <Text c="dimmed">The address may be incomplete, or the page may have moved.</Text>
        <Button component={Link} to="/" mt="sm">
          Go to the overview
        </Button>
      </Stack>
    </Center>
  );
}

export function PageFault({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) {
  const away = error instanceof Refused && error.status === 0;
  return (
    <Center component="main" mih="60dvh" p="md">
      <Stack align="center" gap="xs" maw={480}>
        <Title order={1}>{away ? 'The platform is away' : 'This page could not be shown'}</Title>
        <Text c="dimmed" ta="center">
          {sentenceOf(error)}
        </Text>
        <Group mt="sm">
          <Button
            onClick={() => {
              reset?.();
              location.reload();
            }}>
            Try again
          </Button>
        </Group>
      </Stack>
    </Center>
  );
}
