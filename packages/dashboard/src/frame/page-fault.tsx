/** Shown in place of a page that does not exist or failed. It says what happened and what to do. */
import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isLacking, noAnswer, Refused, sentenceOf } from '../api/client.ts';
import { whenAnswered } from '../api/lacking.ts';
import { whenBack } from '../api/reach.ts';
import type { NavigationPage } from './navigation.ts';

export function NotFoundPage() {
  return (
    <Center mih="60dvh" p="md">
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

/** A page that the person's role does not open. */
export function RoleNeeded({ page: { name, role } }: { readonly page: NavigationPage }) {
  return (
    <Center mih="60dvh" p="md">
      <Stack align="center" gap="xs" maw={480}>
        <Title order={1}>{name}</Title>
        <Text c="dimmed" ta="center">
          {role === undefined
            ? 'This page is for those who run the deployment.'
            : `This page needs the role ${role}. An owner of the organization can give it to you.`}
        </Text>
        <Button component={Link} to="/" mt="sm" variant="default">
          Go to the overview
        </Button>
      </Stack>
    </Center>
  );
}

/** The script of a page did not come. */
export class PageAway extends Refused {
  constructor() {
    super(0, 'no_answer', noAnswer);
  }
}

export function PageFault({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) {
  const router = useRouter();
  const away = isLacking(error) || error instanceof Refused && error.status === 0;
  const again = (): void => {
    // A browser keeps in mind that a script failed, until the document is loaded again.
    if (error instanceof PageAway) location.reload();
    else {
      reset?.();
      void router.invalidate();
    }
  };
  useEffect(() => (away ? whenBack(again) : undefined), [away]);
  useEffect(() => (isLacking(error) ? whenAnswered({ lacked: () => error.url, go: again }) : undefined), [error]);
  return (
    <Center mih="60dvh" p="md">
      <Stack align="center" gap="xs" maw={480}>
        <Title order={1}>{away ? 'The platform is away' : 'This page could not be shown'}</Title>
        <Text c="dimmed" ta="center">
          {sentenceOf(error)}
        </Text>
        {away ? (
          <Text c="dimmed" size="sm">
            The page comes by itself as soon as it answers.
          </Text>
        ) : (
          <Button mt="sm" onClick={again}>
            Try again
          </Button>
        )}
      </Stack>
    </Center>
  );
}
