/** One run: its budget and what bounded it, what it spent, its calls, and a way to end it. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { api, ask } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyableId } from '../../parts/copying.tsx';
import { useDoing } from '../../parts/doing.ts';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Money, Moment } from '../../shown/figures.tsx';
import { RunBadge, type ListedRun } from './run-state.tsx';

const clamps: Readonly<Record<NonNullable<ListedRun['clampReason']>, string>> = {
  policy_max: 'It was lowered to the highest budget that the key or the organization lets a run declare.',
  grant_max: "It was lowered to the grant's maximum.",
  workspace_ceiling: "It was lowered to the organization's ceiling for one run.",
  exposure_headroom: 'It was lowered to what live runs may still spend together.',
};

export function RunSheet({ id }: { readonly id: string }) {
  const run = api.useQuery('get', '/platform/v1/runs/{id}', { params: { path: { id } } }, { refetchInterval: 3_000 });
  return (
    <Loaded of={run} height={320}>
      {(data) => <RunFacts run={data} />}
    </Loaded>
  );
}

function RunFacts({ run }: { readonly run: ListedRun }) {
  const may = useMay('member');
  const [asked, closing] = useDisclosure(false);
  const doing = useDoing({
    run: () => ask.POST('/platform/v1/runs/{id}/close', { params: { path: { id: run.id } } }),
    done: 'The run is closed.',
    changes: ['/platform/v1/runs'],
    after: closing.close,
  });
  return (
    <Stack>
      <Group justify="space-between">
        <RunBadge of={run} />
        {may && run.state === 'live' ? (
          <Button color="red.9" size="compact-md" onClick={closing.open}>
            Close the run…
          </Button>
        ) : null}
      </Group>
      <CopyableId id={run.id} name="run id" />
      {run.clampReason === null ? null : (
        <Alert color="yellow" variant="light" styles={{ message: { color: 'var(--mantine-color-text)' } }}>
          {clamps[run.clampReason]}
        </Alert>
      )}
      <Facts
        rows={[
          ['Spent', <Money amount={run.spent} />],
          ['Budget declared', <Money amount={run.budget} none="none" />],
          ['Budget in force', <Money amount={run.effective} none="none" />],
          ['Calls without full usage', run.unknownCalls],
          ['Calls without a price', run.unpricedCalls],
          ['Calls with gaps in their cost', run.gapCalls],
          ['Began', <Moment at={run.startedAt} />],
          ['Time limit', <Moment at={run.expiresAt} none="none" />],
          ['Ended', <Moment at={run.endedAt} none="not yet" />],
        ]}
      />
      <Text size="sm">
        <Link to="/calls" search={{ run: run.id }}>
          Its calls
        </Link>
      </Text>
      <Confirm
        opened={asked}
        title="Close this run?"
        act="Close the run"
        busy={doing.isPending}
        onAct={() => doing.mutate(undefined)}
        onClose={closing.close}>
        Its calls are refused from now on, for good. Calls in flight finish.
      </Confirm>
    </Stack>
  );
}
