/** A limit that holds, seen once: a cap of next to nothing, a call that it refuses, and the cap taken away again. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Gauge } from 'lucide-react';
import { capsQuery } from '../../api/asked-often.ts';
import { ask } from '../../api/client.ts';
import { useDoing } from '../../parts/doing.ts';
import { shortDollars } from '../../shown/amounts.ts';
import { BecameOf, useSending, type CallToTry } from './test-call.tsx';

/** The least amount that a cap can have, so that the calls so far have reached it. */
const least = '0.000001';
const changes = ['/platform/v1/caps', '/platform/v1/audit'];

export function LimitTrial({ called, call }: { readonly called: boolean; readonly call: CallToTry }) {
  const caps = useQuery(capsQuery);
  const trial = caps.data?.data.find(({ scope, window, limit }) =>
    scope === 'organization' && window === 'day' && Number(limit) === Number(least));
  const setting = useDoing({
    run: () => ask.POST('/platform/v1/caps', { body: { scope: 'organization', window: 'day', limit: least, was: null } }),
    done: 'The cap is set. It takes effect within a second.',
    changes,
  });
  // The trial would take its place, and removing the trial would take it away.
  const daily = caps.data?.data.find(({ scope, window }) => scope === 'organization' && window === 'day');
  const sending = useSending(call);
  const removing = useDoing({
    run: (id: string) => ask.DELETE('/platform/v1/caps/{id}', { params: { path: { id } } }),
    done: 'The cap is removed. Calls pass again within a second.',
    changes,
  });
  return (
    <Stack gap="sm">
      {trial === undefined ? (
        <Text size="sm">
          Cap this organization at {shortDollars(least)} a day, send a call, and see what your callers would see. While the cap is there, it refuses
          every call of the organization.
        </Text>
      ) : (
        <Text size="sm" role="status">
          <b>The cap of {shortDollars(least)} is there.</b> A call is answered 402 now. Send one, then take the cap away.
        </Text>
      )}
      <Group gap="xs">
        {trial === undefined ? (
          <Button
            variant="default"
            leftSection={<Gauge size={15} aria-hidden />}
            disabled={!called || daily !== undefined}
            loading={setting.isPending}
            onClick={() => setting.mutate(undefined)}>
            Set the cap for a moment
          </Button>
        ) : (
          <>
            <Button variant="default" disabled={!call.isWhole} loading={sending.isPending} onClick={() => sending.mutate(undefined)}>
              Send the test call again
            </Button>
            <Button variant="default" loading={removing.isPending} onClick={() => removing.mutate(trial.id)}>
              Take the cap away
            </Button>
          </>
        )}
        {daily === undefined || trial !== undefined ? null : (
          <Text size="xs" c="dimmed">
            The organization has a cap a day already: it holds, and this would take its place.
          </Text>
        )}
        {called ? null : (
          <Text size="xs" c="dimmed">
            First send a call, so that something is spent.
          </Text>
        )}
      </Group>
      {trial === undefined ? null : <BecameOf of={sending} />}
    </Stack>
  );
}
