/** One run: what it spent of what, its story, and a way to end it. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ListTree } from 'lucide-react';
import { ask, Refused } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Confirm, useQuestion } from '../../parts/confirm.tsx';
import { CopyableId } from '../../parts/copying.tsx';
import { useDoing } from '../../parts/doing.ts';
import { Facts } from '../../parts/facts.tsx';
import { SpentBar } from '../../parts/spent-bar.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { Money, Moment } from '../../shown/figures.tsx';
import { useKeyNames } from '../../shown/key-names.ts';
import type { Story } from '../../shown/run-story.ts';
import { RunBadge, type ListedRun } from './run-state.tsx';
import { storyQuery } from './runs-asks.ts';
import { RunStory } from './story.tsx';

const clamps: Readonly<Record<NonNullable<ListedRun['clampReason']>, string>> = {
  policy_max: 'It was lowered to the highest budget that the key or the organization lets a run declare.',
  grant_max: "It was lowered to the grant's maximum.",
  workspace_ceiling: "It was lowered to the organization's ceiling for one run.",
  exposure_headroom: 'It was lowered to what live runs may still spend together.',
};

/** For a run that is asked for by its id, and of which no call was let through: it did not begin, so there is nothing of it but refusals. */
function NotBegun({ id }: { readonly id: string }) {
  return (
    <Nothing
      icon={ListTree}
      title="No call of this run was let through"
      action={
        <Button component={Link} to="/refusals" search={{ run: id } as never} variant="default">
          Its refused calls
        </Button>
      }>
      A run begins with its first call that is forwarded. What refused the calls of <span className="mono wrap">{id}</span>, if there were any, and
      what would let them through stands with each of them.
    </Nothing>
  );
}

export function RunSheet({ id }: { readonly id: string }) {
  const story = useQuery({ ...storyQuery(id), refetchInterval: ({ state }) => (state.data?.run.state === 'live' ? 3_000 : 15_000) });
  if (story.data === undefined && story.error instanceof Refused && story.error.code === 'unknown_run') return <NotBegun id={id} />;
  return (
    <Loaded of={story} height={480}>
      {(data) => <Told story={data} />}
    </Loaded>
  );
}

function Told({ story, story: { run, key } }: { readonly story: Story }) {
  const names = useKeyNames();
  return (
    <Stack>
      <Head run={run} />
      <RunStory of={story} />
      <Facts
        rows={[
          ['Budget declared', <Money amount={run.budget} none="none" />],
          ['Budget in force', <Money amount={run.effective} none="none" />],
          ['Begun with', key === null ? '–' : <Link to="/keys" search={{ id: key }}>{names.get(key) ?? key}</Link>],
          ['Time limit', <Moment at={run.expiresAt} none="none" />],
          ['Ended', <Moment at={run.endedAt} none="not yet" />],
          ['Calls without full usage', run.unknownCalls],
          ['Calls without a price', run.unpricedCalls],
          ['Calls with gaps in their cost', run.gapCalls],
        ]}
      />
      <Text size="sm">
        <Link to="/calls" search={{ run: run.id, since: run.startedAt, until: new Date(Date.now() + 86_400_000).toISOString() }}>
          All its calls
        </Link>
        {' · '}
        <Link to="/refusals" search={{ run: run.id }}>
          Its refused calls
        </Link>
      </Text>
    </Stack>
  );
}

/** What it spent of what, and how it stands. */
function Head({ run }: { readonly run: ListedRun }) {
  const may = useMay('member');
  const closing = useQuestion();
  const doing = useDoing({
    run: () => ask.POST('/platform/v1/runs/{id}/close', { params: { path: { id: run.id } } }),
    done: 'The run is closed.',
    changes: ['/platform/v1/runs'],
    after: closing.close,
  });
  const part = run.effective === null ? null : Number(run.effective) === 0 ? 1 : Number(run.spent) / Number(run.effective);
  return (
    <Stack gap={6}>
      <Group justify="space-between" wrap="nowrap">
        <CopyableId id={run.id} name="run id" />
        {may && run.state === 'live' ? (
          <Button color="red.9" size="compact-md" className="no-shrink" onClick={closing.open}>
            Close the run…
          </Button>
        ) : null}
      </Group>
      <Group gap="sm" align="baseline">
        <Text component="div" className="focal">
          <Money amount={run.spent} />
        </Text>
        <Text size="sm" c="dimmed" component="div">
          {run.effective === null ? 'spent, without a budget' : <>spent of <Money amount={run.effective} /></>}
        </Text>
        <RunBadge of={run} />
      </Group>
      {part === null ? null : <SpentBar part={part} label="Spent of the budget" />}
      {run.clampReason === null ? null : (
        <Alert>
          {clamps[run.clampReason]}
        </Alert>
      )}
      <Confirm of={closing} title="Close this run?" act="Close the run" doing={doing}>
        Its calls are refused from now on, for good. Calls in flight finish.
      </Confirm>
    </Stack>
  );
}
