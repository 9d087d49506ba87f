/** A month's closing: what it does, who may do it, its versions as signed files, and opening it again. */
import { Button, Group, List, Stack, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { ask, Refused, sentenceOf, type Shown } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Confirm, useQuestion } from '../../parts/confirm.tsx';
import { useDoing } from '../../parts/doing.ts';
import { Panel } from '../../parts/page.tsx';
import { Moment } from '../../shown/figures.tsx';
import { withMoments } from '../../shown/moments.ts';
import { monthTitle } from '../../shown/months.ts';

type Month = Shown<'Month'>;
const changes = ['/platform/v1/months', '/platform/v1/audit'];

export function ClosingPanel({ of: month }: { readonly of: Month }) {
  return (
    <Panel
      title="Closing"
      about="A closing freezes the figures, corrections and teams of a month and signs them. What is learned later counts in a later month.">
      <Stack gap="sm">
        {month.state === 'running' ? <Text size="sm">{monthTitle(month.month)} can be closed when it is over.</Text> : null}
        {month.state === 'open' ? <Close of={month} /> : null}
        {month.nodes.length === 0 ? null : <Nodes of={month} />}
        {month.versions.toReversed().map((version) => (
          <Version key={version.version} month={month.month} of={version} />
        ))}
        {month.state === 'closed' ? <Reopen month={month.month} /> : null}
      </Stack>
    </Panel>
  );
}

/** Nodes that may still hold calls are waited for, unless the person says to go on. */
function Close({ of: { month } }: { readonly of: Month }) {
  const may = useMay('admin');
  const confirm = useQuestion();
  const [refused, setRefused] = useState<Refused | null>(null);
  const closing = useDoing({
    run: (goOn: boolean) => ask.POST('/platform/v1/months/{month}/close', { params: { path: { month } }, body: goOn ? { goOn } : {} }),
    done: `${monthTitle(month)} is closed.`,
    changes,
    quiet: true,
    after: () => {
      confirm.close();
      setRefused(null);
    },
  });
  if (!may) return <Text size="sm">An admin closes it.</Text>;
  const close = (goOn: boolean): void =>
    closing.mutate(goOn, {
      onError: (fault) => {
        confirm.close();
        setRefused(fault instanceof Refused ? fault : new Refused(0, 'unreadable', sentenceOf(fault)));
      },
    });
  return (
    <Stack gap="xs" align="flex-start">
      {refused === null ? null : (
        <Text size="sm" role="alert" className={refused.code === 'month_waiting' ? 'warn' : 'bad'}>
          {refused.message}
        </Text>
      )}
      <Group gap="xs">
        <Button onClick={confirm.open}>Close {monthTitle(month)}…</Button>
        {refused?.code === 'month_waiting' ? (
          <Button variant="default" loading={closing.isPending} onClick={() => close(true)}>
            Close without waiting
          </Button>
        ) : null}
      </Group>
      <Confirm
        of={confirm}
        title={`Close ${monthTitle(month)}?`}
        act="Close the month"
        doing={{ isPending: closing.isPending, mutate: () => close(false) }}>
        Its figures, corrections and teams stay as they are now. Calls and bills that come later count in the month that is closed next. An owner can
        open it again.
      </Confirm>
    </Stack>
  );
}

function Nodes({ of: { state, nodes } }: { readonly of: Month }) {
  return (
    <div>
      <Text size="sm">{state === 'closed' ? 'It was closed without these nodes:' : 'These nodes may still hold calls of it:'}</Text>
      <List size="sm">
        {nodes.map(({ node, reason }) => (
          <List.Item key={node}>
            <span className="mono">{node}</span>: {withMoments(reason)}
          </List.Item>
        ))}
      </List>
    </div>
  );
}

function Version({ month, of }: { readonly month: string; readonly of: Month['versions'][number] }) {
  return (
    <Group gap="sm" justify="space-between">
      <Text size="sm" component="div">
        <span className="strong">Version {of.version}</span>, closed <Moment at={of.closedAt} />
        {of.reopenedAt === null ? null : (
          <>
            , opened again <Moment at={of.reopenedAt} />
          </>
        )}
        <div className="dim small mono wrap">SHA-256 {of.digest}</div>
      </Text>
      <Button
        size="compact-sm"
        variant="default"
        component="a"
        download
        href={`/platform/v1/months/${month}/file?version=${of.version}`}
        leftSection={<Download size={14} aria-hidden />}>
        Signed file
      </Button>
    </Group>
  );
}

function Reopen({ month }: { readonly month: string }) {
  const may = useMay('owner');
  const confirm = useQuestion();
  const opening = useDoing({
    run: () => ask.POST('/platform/v1/months/{month}/reopen', { params: { path: { month } } }),
    done: `${monthTitle(month)} is open again.`,
    changes,
    after: confirm.close,
  });
  if (!may) return <Text size="sm">An owner can open it again.</Text>;
  return (
    <div>
      <Button variant="default" c="var(--bad)" onClick={confirm.open}>
        Open it again…
      </Button>
      <Confirm of={confirm} title={`Open ${monthTitle(month)} again?`} act="Open it" doing={opening}>
        Its figures follow the records again until it is closed once more. What was closed stays readable as its version, and the audit says who
        opened it.
      </Confirm>
    </div>
  );
}
